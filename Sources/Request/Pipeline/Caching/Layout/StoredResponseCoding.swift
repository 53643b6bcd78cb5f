/// All responses under one key. A memory store holds them beside their bytes.
final class StoredResponses: Sendable {
    /// An output that was decoded from one of the responses.
    struct Decoded: Sendable {
        let response: UInt64
        let decodingKey: DecodingKey
        let output: AnyOutput
        /// A Boolean value that indicates whether the response is only for requests with certain headers.
        var varies = false
    }

    let all: [StoredResponse]
    let decoded: [Decoded]
    /// The names of bodies that nothing refers to any more, until the store has removed them.
    let dropped: Set<String>

    init(_ all: [StoredResponse], decoded: [Decoded] = [], dropped: Set<String> = []) {
        self.all = all
        self.decoded = decoded
        self.dropped = dropped
    }

    /// Returns the same responses with one more output.
    func adding(_ new: Decoded) -> StoredResponses {
        let others = decoded.filter { $0.response != new.response || $0.decodingKey != new.decodingKey }
        return StoredResponses(all, decoded: others.suffix(ResponseStore.variantLimit - 1) + [new])
    }
}

/// The format of all entries. The heads of the responses are lines of text in the metadata of the entry. Their small
/// bodies are its body. So a head is never read with the body of another response.
enum StoredResponseCoding {
    private static let field = "http"
    private static let version = "4"

    /// Returns the entry; nil if a field holds a line break, which no message can.
    static func entry(_ responses: [StoredResponse], tags: Set<String>) -> CacheEntry? {
        var lines = LineWriter()
        var bodies: [Data] = []
        lines.add(version)
        lines.add(responses.count)
        for response in responses { write(response, to: &lines, &bodies) }
        guard let text = lines.text else { return nil }
        let body = bodies.count == 1 ? bodies[0] : bodies.reduce(into: Data()) { $0.append($1) }
        return CacheEntry(body: body, metadata: [field: text], tags: tags, object: StoredResponses(responses))
    }

    /// Returns the responses of an entry, or none if the entry has another format.
    static func responses(_ entry: CacheEntry) -> [StoredResponse] {
        if let responses = entry.object as? StoredResponses { return responses.all }
        guard let text = entry.metadata[field] else { return [] }
        var lines = LineReader(text)
        var place = 0
        guard (try? lines.next()) == version else { return [] }
        return (try? lines.list { try read(&$0, entry.body, &place) }) ?? []
    }

    private static func write(_ response: StoredResponse, to lines: inout LineWriter, _ bodies: inout [Data]) {
        lines.add(String(response.id, radix: 16))
        lines.add(response.status.code)
        lines.add(response.version.major)
        lines.add(response.version.minor)
        lines.add(response.reason)
        lines.add(response.requestTime)
        lines.add(response.responseTime)
        lines.add(optional: response.content.total.map(String.init))
        lines.add(optional: response.content.asked)
        lines.add(optional: response.declared.map { $0.isMoved ? "moved" : "" })
        lines.add(optional: response.declared?.model)
        lines.add(response.declared?.used ?? response.responseTime)
        lines.add(response.content.parts.count)
        for part in response.content.parts {
            lines.add(part.bytes.lowerBound)
            lines.add(part.bytes.upperBound)
            switch part.place {
            case .here(let data):
                lines.add(optional: nil)
                bodies.append(data)
            case .apart(let name): lines.add(optional: name)
            }
        }
        lines.add(response.selecting.count)
        for field in response.selecting {
            lines.add(field.name)
            lines.add(optional: field.value)
            lines.add(optional: field.sent)
        }
        lines.add(response.tags.count)
        for tag in response.tags.sorted() { lines.add(escaped: tag) }
        lines.add(response.headers.count)
        for field in response.headers.fields {
            lines.add(field.name)
            lines.add(field.value)
        }
    }

    private static func read(_ lines: inout LineReader, _ body: Data, _ place: inout Int) throws -> StoredResponse {
        guard let id = UInt64(try lines.next(), radix: 16) else { throw LineReader.Malformed() }
        let status = HTTPStatus(try lines.number())
        let version = HTTPVersion(major: try lines.number(), minor: try lines.number())
        let reason = try lines.next()
        let (requestTime, responseTime) = (try lines.seconds(), try lines.seconds())
        let total = try lines.optional().flatMap { Int($0) }
        let asked = try lines.optional()
        let (moved, model, used) = (try lines.optional(), try lines.optional(), try lines.seconds())
        let declared = moved.map { moved in
            DeclaredFacts(model: model, used: used == responseTime ? nil : used, isMoved: !moved.isEmpty)
        }
        let parts = try lines.list { try part(&$0, body, &place) }
        let selecting = try lines.list { lines in
            SelectingField(name: try lines.next(), value: try lines.optional(), sent: try lines.optional())
        }
        let tags = try lines.list { try $0.escaped() }
        let headers = try lines.list { Headers.Field(name: try $0.next(), value: try $0.next()) }
        guard total ?? 0 >= 0 else { throw LineReader.Malformed() }
        return StoredResponse(
            id: id, status: status, reason: reason, version: version, headers: Headers(fields: headers),
            requestTime: requestTime, responseTime: responseTime, selecting: selecting, tags: Set(tags),
            content: StoredContent(parts: parts, total: total, asked: asked), declared: declared)
    }

    /// Reads a part, whose bytes begin at a place in the body of the entry.
    private static func part(
        _ lines: inout LineReader, _ body: Data, _ place: inout Int
    ) throws -> StoredContent.Part {
        let (first, end) = (try lines.number(), try lines.number())
        guard 0 <= first, first <= end else { throw LineReader.Malformed() }
        if let name = try lines.optional() { return StoredContent.Part(bytes: first..<end, place: .apart(name)) }
        guard end - first <= body.count - place else { throw LineReader.Malformed() }
        let isAll = place == 0 && end - first == body.count
        let data = isAll ? body : body[place..<(place + end - first)].copied()
        place += end - first
        return StoredContent.Part(bytes: first..<end, place: .here(data))
    }
}

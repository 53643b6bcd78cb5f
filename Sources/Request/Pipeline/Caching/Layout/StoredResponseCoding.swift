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
    private static let version = "3"

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
        if let kept = entry.object as? StoredResponses { return kept.all }
        guard let text = entry.metadata[field] else { return [] }
        var lines = LineReader(text)
        guard lines.next() == version, let count = lines.number(), count >= 0 else { return [] }
        var responses: [StoredResponse] = []
        var place = 0
        for _ in 0..<count {
            guard let response = read(&lines, entry.body, &place) else { return [] }
            responses.append(response)
        }
        return responses
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
        lines.add(optional: response.declared.map(text))
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

    private static func read(_ lines: inout LineReader, _ body: Data, _ place: inout Int) -> StoredResponse? {
        guard let id = lines.next().flatMap({ UInt64($0, radix: 16) }), let status = lines.number(),
            let major = lines.number(), let minor = lines.number(), let reason = lines.next(),
            let requestTime = lines.seconds(), let responseTime = lines.seconds(), let total = lines.optional(),
            let asked = lines.optional(), let declared = lines.optional(), let partCount = lines.number(),
            partCount >= 0
        else { return nil }
        let length = total.flatMap { Int($0) }
        guard length ?? 0 >= 0 else { return nil }
        var parts: [StoredContent.Part] = []
        for _ in 0..<partCount {
            guard let first = lines.number(), let end = lines.number(), 0 <= first, first <= end,
                let name = lines.optional()
            else { return nil }
            if let name {
                parts.append(StoredContent.Part(bytes: first..<end, place: .apart(name)))
                continue
            }
            guard end - first <= body.count - place else { return nil }
            let isAll = place == 0 && end - first == body.count
            let data = isAll ? body : Data(body[place..<(place + end - first)])
            place += end - first
            parts.append(StoredContent.Part(bytes: first..<end, place: .here(data)))
        }
        guard let selecting = selecting(&lines), let tags = tags(&lines), let headers = headers(&lines) else {
            return nil
        }
        return StoredResponse(
            id: id, status: HTTPStatus(status), reason: reason, version: HTTPVersion(major: major, minor: minor),
            headers: headers, requestTime: requestTime, responseTime: responseTime, selecting: selecting, tags: tags,
            content: StoredContent(parts: parts, total: length, asked: asked), declared: declared.map(facts))
    }

    /// Writes the facts of a declared policy on one line: whether the response was moved, its last use, its model.
    private static func text(_ facts: DeclaredFacts) -> String {
        let used = facts.used.map { String($0.bitPattern, radix: 36) } ?? "-"
        return "\(facts.isMoved ? "moved" : "-") \(used) \(facts.model ?? "-")"
    }

    private static func facts(_ text: String) -> DeclaredFacts {
        let space = UInt8(ascii: " ")
        guard let first = text.utf8.firstIndex(of: space),
            let second = text.utf8[text.utf8.index(after: first)...].firstIndex(of: space)
        else { return DeclaredFacts() }
        let used = text[text.utf8.index(after: first)..<second]
        let model = text[text.utf8.index(after: second)...]
        return DeclaredFacts(
            model: model == "-" ? nil : String(model),
            used: UInt64(used, radix: 36).map(Double.init(bitPattern:)), isMoved: text[..<first] == "moved")
    }

    private static func selecting(_ lines: inout LineReader) -> [SelectingField]? {
        guard let count = lines.number(), count >= 0 else { return nil }
        var fields: [SelectingField] = []
        for _ in 0..<count {
            guard let name = lines.next(), let value = lines.optional(), let sent = lines.optional() else { return nil }
            fields.append(SelectingField(name: name, value: value, sent: sent))
        }
        return fields
    }

    private static func tags(_ lines: inout LineReader) -> Set<String>? {
        guard let count = lines.number(), count >= 0 else { return nil }
        var tags: Set<String> = []
        for _ in 0..<count {
            guard let tag = lines.escaped() else { return nil }
            tags.insert(tag)
        }
        return tags
    }

    private static func headers(_ lines: inout LineReader) -> Headers? {
        guard let count = lines.number(), count >= 0 else { return nil }
        var fields: [Headers.Field] = []
        // A damaged entry may promise any number.
        fields.reserveCapacity(min(count, 32))
        for _ in 0..<count {
            guard let name = lines.next(), let value = lines.next() else { return nil }
            fields.append(Headers.Field(name: name, value: value))
        }
        return Headers(fields: fields)
    }
}

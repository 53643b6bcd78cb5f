import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An answer as a store keeps it: the body, or its model; and, as facts about that, the head of the response, what else of
/// the request it depends on, and when it was last used.
struct StoredEntry: Sendable {
    private enum Fact {
        static let head = "head"
        static let vary = "vary"
        static let used = "used"
        static let model = "model"
        static let moved = "moved"
    }

    var entry: CacheEntry

    init(_ entry: CacheEntry) {
        self.entry = entry
    }

    /// The entry of a response.
    ///
    /// - Parameters:
    ///   - body: What is kept of it: its body, or its model.
    ///   - model: Of which kind of request it is the model, if it is one.
    ///   - fields: What the request was sent with.
    init(
        _ response: HTTPResponse, body: Data, model: String?, fields: Headers, tags: Set<String>, at now: Date
    ) {
        var facts = [Fact.head: StoredHead.text(of: response)]
        facts[Fact.model] = model
        let names = VariedFields.names(in: response.headers)
        if !names.isEmpty { facts[Fact.vary] = VariedFields.text(names, of: fields) }
        entry = CacheEntry(body: body, metadata: facts, tags: tags, written: now)
    }

    var times: ResponseTimes {
        let written = entry.written?.timeIntervalSinceReferenceDate ?? 0
        return ResponseTimes(written: written, used: entry.metadata[Fact.used].flatMap(Double.init))
    }

    /// When it was written alone, which is at hand.
    var writtenOnly: ResponseTimes {
        ResponseTimes(written: entry.written?.timeIntervalSinceReferenceDate ?? 0)
    }

    /// The same, used just now.
    func used(at now: Double) -> CacheEntry {
        var entry = entry
        entry.metadata[Fact.used] = "\(now)"
        return entry
    }

    /// The same, that comes from another URL than the one that was asked for.
    func moved() -> StoredEntry {
        var answer = self
        answer.entry.metadata[Fact.moved] = "yes"
        return answer
    }

    /// The response, without what it was made for.
    func response(withBody: Bool) -> HTTPResponse? {
        entry.metadata[Fact.head].flatMap { StoredHead.response($0, body: withBody ? entry.body : Data()) }
    }

    /// Of which kind of request the body is the model; nil where it is that of the response.
    var model: String? { entry.metadata[Fact.model] }

    /// Whether it depends on more of a request than its name tells.
    var varies: Bool { entry.metadata[Fact.vary] != nil }

    /// Whether it answers a request with these fields.
    func answers(_ fields: Headers) -> Bool {
        guard let text = entry.metadata[Fact.vary] else { return true }
        return VariedFields.text(VariedFields.names(of: text), of: fields).hasSameBytes(as: text)
    }
}

/// Asking the server whether an answer is still the right one.
extension StoredEntry {
    private static let conditions = ["If-None-Match", "If-Modified-Since"]

    /// The request for whatever is not this answer; nil where a server could not tell, or the request has conditions of
    /// its own.
    func asking(_ request: HTTPRequest) -> HTTPRequest? {
        let own = Self.conditions + ["If-Match", "If-Unmodified-Since", "If-Range", "Range"]
        guard request.method == .get, entry.metadata[Fact.moved] == nil, !own.contains(where: request.headers.contains),
            let response = response(withBody: false), response.status == .ok
        else { return nil }
        var asking = request
        if let tag = response.headers["ETag"], EntityTag(tag) != nil {
            asking.headers.set(name: "If-None-Match", value: tag)
        }
        if let date = response.headers["Last-Modified"] {
            asking.headers.set(name: "If-Modified-Since", value: date)
        }
        return Self.conditions.contains(where: asking.headers.contains) ? asking : nil
    }

    /// A request without the conditions that were added to it.
    static func askingForAll(_ request: HTTPRequest) -> HTTPRequest {
        var plain = request
        for name in conditions { plain.headers.remove(name) }
        return plain
    }

    /// Whether a server that says that nothing has changed speaks of this answer.
    func isMeant(by headers: Headers) -> Bool {
        guard let tag = headers["ETag"].flatMap(EntityTag.init) else { return true }
        return response(withBody: false)?.headers["ETag"].flatMap(EntityTag.init)?.isWeaklyEqual(to: tag) == true
    }

    /// The same answer, with what a server that has confirmed it to a request says about it.
    func confirmed(by headers: Headers, for request: HTTPRequest, at now: Date) -> CacheEntry {
        var confirmed = entry
        confirmed.written = now
        guard var response = response(withBody: false) else { return confirmed }
        response.headers = StoredFields.updated(response.headers, with: headers)
        confirmed.metadata[Fact.head] = StoredHead.text(of: response)
        let names = VariedFields.names(in: response.headers)
        let varied = names.isEmpty ? nil : VariedFields.text(names, of: request.headers)
        if varied != confirmed.metadata[Fact.vary] {
            confirmed.metadata[Fact.vary] = varied
            // It was made of an answer that depended on something else.
            confirmed.object = nil
        }
        return confirmed
    }
}

/// The fields of a request that a server has selected a response by, and that the key of the response does not tell.
enum VariedFields {
    /// The names in `Vary`, sorted; none where it says that the response varies by anything.
    static func names(in headers: Headers) -> [String] {
        guard case .fields(let names) = Vary(headers) else { return [] }
        return names.filter { $0[...].isToken && !told.contains($0) }
    }

    /// Names and digests of values, as in `x-version=0a1b x-zone=`.
    static func text(_ names: [String], of headers: Headers) -> String {
        let parts = names.map { name in
            "\(name)=\(headers.combined(name).map { String(SHA256.hex($0.utf8).prefix(32)) } ?? "")"
        }
        return parts.joined(separator: " ")
    }

    /// The names in such a text.
    static func names(of text: String) -> [String] {
        text.split(separator: " ").map { String($0.prefix { $0 != "=" }) }
    }

    private static let told: Set<String> = [
        "accept", "accept-encoding", "accept-language", "authorization", "cookie",
    ]
}

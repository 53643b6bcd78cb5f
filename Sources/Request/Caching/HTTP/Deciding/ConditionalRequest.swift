/// The conditions of requests: those that a caller has, and those that are added to ask whether what is kept is right.
enum ConditionalRequest {
    /// The request that asks whether a stored response is still right (RFC 9111, 4.3.1).
    ///
    /// The caller's own entity tags stay beside the stored one: the answer says which of them it means. A caller's date
    /// gives way to the stored one, since the cache can answer the caller's question itself after that.
    static func validating(
        _ stored: StoredResponse, _ request: HTTPRequest, fields: RequestFields
    ) -> HTTPRequest {
        guard stored.facts.hasValidator else { return request }
        var request = request
        if let tag = stored.facts.tag, let own = EntityTag.list(fields.ifNoneMatch) {
            if !own.contains(tag) {
                request.headers.set(name: "If-None-Match", value: (own + [tag]).map(\.text).joined(separator: ", "))
            }
        }
        if let lastModified = stored.facts.lastModified {
            request.headers.set(name: "If-Modified-Since", value: lastModified.text)
        }
        return request
    }

    /// The request for the bytes that are missing, for as long as they are of what is kept (RFC 9110, 13.1.5).
    static func completing(_ stored: StoredResponse, _ gap: Range<Int>, _ request: HTTPRequest) -> HTTPRequest {
        var request = request
        let isToTheEnd = gap.upperBound == stored.content.total
        let last = isToTheEnd ? "" : "\(gap.upperBound - 1)"
        request.headers.set(name: "Range", value: "bytes=\(gap.lowerBound)-\(last)")
        if let tag = stored.facts.tag { request.headers.set(name: "If-Range", value: tag.text) }
        return request
    }

    /// Whether the caller has what is kept already, so that 304 answers it (RFC 9111, 4.3.2).
    static func isNotModified(_ stored: StoredResponse, fields: RequestFields, now: Double) -> Bool {
        guard stored.status == .ok || stored.status == .partialContent else { return false }
        if !fields.ifNoneMatch.isEmpty {
            guard let tags = EntityTag.list(fields.ifNoneMatch) else { return true }
            guard let tag = stored.facts.tag else { return false }
            return tags.contains { $0.isWeaklyEqual(to: tag) }
        }
        guard let since = fields.ifModifiedSince.flatMap({ HTTPDate.parseLeniently($0, now: now) }) else {
            return false
        }
        return (stored.facts.lastModified?.time ?? stored.facts.date) <= since
    }

    /// The fields that a 304 has (RFC 9110, 15.4.5), of those that are kept.
    static func notModifiedHeaders(_ headers: Headers) -> Headers {
        Headers(fields: headers.fields.filter { !isAboutBody($0.name) })
    }

    private static func isAboutBody(_ name: String) -> Bool {
        ["Content-Length", "Content-Encoding", "Content-Range", "Content-Type"].contains { $0.isSameField(as: name) }
    }
}

/// The conditions of requests: those of the caller, and those that the cache adds to revalidate a stored response.
enum ConditionalRequest {
    /// Returns the request that revalidates a stored response (RFC 9111, 4.3.1).
    ///
    /// The request has the entity tags of the caller and the stored one; the response names the tag that it means.
    /// The stored date replaces the caller's, because the cache can evaluate the caller's date itself afterwards.
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

    /// Returns the request for the missing bytes of a stored body. Its `If-Range` requires that the body has not
    /// changed (RFC 9110, 13.1.5).
    static func completing(_ stored: StoredResponse, _ gap: Range<Int>, _ request: HTTPRequest) -> HTTPRequest {
        var request = request
        let isToTheEnd = gap.upperBound == stored.content.total
        let last = isToTheEnd ? "" : "\(gap.upperBound - 1)"
        request.headers.set(name: "Range", value: "bytes=\(gap.lowerBound)-\(last)")
        if let tag = stored.facts.tag { request.headers.set(name: "If-Range", value: tag.text) }
        return request
    }

    /// Returns whether the caller already has the stored response, so that it gets a 304 (RFC 9111, 4.3.2).
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

    /// Returns the fields of a stored response that a 304 has (RFC 9110, 15.4.5).
    static func notModifiedHeaders(_ headers: Headers) -> Headers {
        Headers(fields: headers.fields.filter { !isAboutBody($0.name) })
    }

    private static func isAboutBody(_ name: String) -> Bool {
        ["Content-Length", "Content-Encoding", "Content-Range", "Content-Type"].contains { $0.isSameField(as: name) }
    }
}

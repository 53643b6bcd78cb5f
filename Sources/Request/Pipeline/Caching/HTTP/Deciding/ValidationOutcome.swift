/// The effect of the server's response on a stored response (RFC 9111, 4.3.3 to 4.3.5).
enum ValidationOutcome: Equatable, Sendable {
    /// The stored response is current. It is updated and served.
    case confirmed
    /// The caller's own copy is current, and it is not the stored response.
    case confirmsCaller
    /// A 304 that confirms no known response. The request is sent again without the conditions of the cache.
    case confirmsNothing
    /// Any other response. It is served, and replaces the stored response if it may be stored.
    case replaced

    static func of(
        _ stored: StoredResponse, status: HTTPStatus, headers: Headers, fields: RequestFields
    ) -> ValidationOutcome {
        guard status == .notModified else { return .replaced }
        guard stored.facts.hasValidator else { return fields.isConditional ? .confirmsCaller : .confirmsNothing }
        let own = EntityTag.list(fields.ifNoneMatch)
        guard let stated = headers["ETag"].flatMap({ EntityTag($0) }) else {
            // Without a tag, a 304 means the tag of the request. This requires that the request had only one.
            guard let own, !own.isEmpty else { return own == nil ? .confirmsCaller : .confirmed }
            guard let tag = stored.facts.tag, own.allSatisfy({ $0.isWeaklyEqual(to: tag) }) else {
                return .confirmsNothing
            }
            return .confirmed
        }
        if let tag = stored.facts.tag {
            // A strong tag must be the same. A weak tag names the same content (4.3.4).
            if stated.isWeak
                ? stated.isWeaklyEqual(to: tag)
                : stated.isStronglyEqual(to: tag) || tag.isWeak && stated.isWeaklyEqual(to: tag)
            {
                return .confirmed
            }
            // One strong validator that matches is sufficient, even if another one differs (4.3.4).
            if let own, own.isEmpty, let lastModified = stored.facts.lastModified, lastModified.isStrong,
                headers["Last-Modified"].hasSameBytes(as: lastModified.text)
            {
                return .confirmed
            }
            guard let own else { return .confirmsCaller }
            return own.contains { $0.isWeaklyEqual(to: stated) } ? .confirmsCaller : .confirmsNothing
        }
        if let own, own.contains(where: { $0.isWeaklyEqual(to: stated) }) { return .confirmsCaller }
        // The stored response has only a date, so the 304 is about that date.
        return .confirmed
    }

    /// Returns whether the response to a HEAD describes the stored body (RFC 9111, 4.3.5).
    static func headConfirms(_ stored: StoredResponse, headers: Headers) -> Bool {
        if let one = headers["ETag"].flatMap({ EntityTag($0) }), let other = stored.facts.tag, one != other {
            return false
        }
        if let one = headers["Last-Modified"], let other = stored.facts.lastModified?.text, !one.hasSameBytes(as: other)
        {
            return false
        }
        if let one = headers["Content-Length"], let other = stored.headers["Content-Length"],
            !one.hasSameBytes(as: other)
        {
            return false
        }
        return true
    }

    /// Returns whether two responses have parts of the same body, so that they may be combined (RFC 9111, 3.4).
    static func areParts(_ one: StoredResponse, _ other: StoredResponse) -> Bool {
        guard let tag = one.facts.tag, let otherTag = other.facts.tag, tag.isStronglyEqual(to: otherTag) else {
            return false
        }
        guard let total = one.content.total, let otherTotal = other.content.total else { return true }
        return total == otherTotal
    }
}

/// What a server's answer means for what is kept (RFC 9111, 4.3.3 to 4.3.5).
enum ValidationOutcome: Hashable, Sendable {
    /// The stored response is right: it is updated, and answers.
    case confirmed
    /// The caller's own copy is right, which is not the stored one.
    case callersIsRight
    /// A 304 that confirms nothing that is known: the server is asked again without conditions of ours.
    case confirmsNothing
    /// Whatever else the server says: it answers, and takes the place of what is kept if it may be kept.
    case replaced

    static func of(
        _ stored: StoredResponse, status: HTTPStatus, headers: Headers, fields: RequestFields
    ) -> ValidationOutcome {
        guard status == .notModified else { return .replaced }
        guard stored.facts.hasValidator else { return fields.isConditional ? .callersIsRight : .confirmsNothing }
        let own = EntityTag.list(fields.ifNoneMatch)
        guard let stated = headers["ETag"].flatMap({ EntityTag($0) }) else {
            // Without a name it means what was asked about, if that was one thing.
            guard let own, !own.isEmpty else { return own == nil ? .callersIsRight : .confirmed }
            guard let tag = stored.facts.tag, own.allSatisfy({ $0.isWeaklyEqual(to: tag) }) else {
                return .confirmsNothing
            }
            return .confirmed
        }
        if let tag = stored.facts.tag {
            // A strong name has to be the same; a weak one names the same content (4.3.4).
            if stated.isWeak
                ? stated.isWeaklyEqual(to: tag)
                : stated.isStronglyEqual(to: tag) || tag.isWeak && stated.isWeaklyEqual(to: tag)
            {
                return .confirmed
            }
            // Any strong validator will do, whatever another one says (4.3.4).
            if let own, own.isEmpty, let lastModified = stored.facts.lastModified, lastModified.isStrong,
                headers["Last-Modified"].hasSameBytes(as: lastModified.text)
            {
                return .confirmed
            }
            guard let own else { return .callersIsRight }
            return own.contains { $0.isWeaklyEqual(to: stated) } ? .callersIsRight : .confirmsNothing
        }
        if let own, own.contains(where: { $0.isWeaklyEqual(to: stated) }) { return .callersIsRight }
        // What is kept has a date alone: that is what was asked about.
        return .confirmed
    }

    /// Whether the answer to a HEAD is about the content that is kept (RFC 9111, 4.3.5).
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

    /// Whether parts are of the same bytes, so that they may be put together (RFC 9111, 3.4).
    static func areParts(_ one: StoredResponse, _ other: StoredResponse) -> Bool {
        guard let tag = one.facts.tag, let otherTag = other.facts.tag, tag.isStronglyEqual(to: otherTag) else {
            return false
        }
        guard let total = one.content.total, let otherTotal = other.content.total else { return true }
        return total == otherTotal
    }
}

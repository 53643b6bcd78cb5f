/// What of a stored response answers a request.
enum Selection: Hashable, Sendable {
    case whole
    /// These bytes of it.
    case part(Range<Int>)
    /// The part that is kept, as it came: the same part was asked for.
    case same
    /// Nothing: bytes are missing, or only the server can tell which are meant.
    case nothing

    static func of(_ stored: StoredResponse, for fields: RequestFields, method: HTTPMethod) -> Selection {
        let isWhole = stored.status != .partialContent && stored.content.isComplete
        // Ranges are for GET alone (RFC 9110, 14.2), and for what would have been answered with 200.
        guard let range = fields.range, method == .get, stored.status == .ok || stored.status == .partialContent else {
            return isWhole ? .whole : .nothing
        }
        if let condition = fields.ifRange, !holds(condition, stored) { return isWhole ? .whole : .nothing }
        if let asked = stored.content.asked, asked.hasSameBytes(as: range) { return .same }
        guard let wanted = ByteRange(range), let total = stored.content.total, !stored.facts.mayBeDecoded else {
            return .nothing
        }
        let places = wanted.places(in: total)
        return !places.isEmpty && stored.content.contains(places) ? .part(places) : .nothing
    }

    /// Whether an `If-Range` names the very bytes that are kept (RFC 9110, 13.1.5).
    private static func holds(_ condition: String, _ stored: StoredResponse) -> Bool {
        if condition.utf8.contains(UInt8(ascii: "\"")) {
            guard let one = EntityTag(condition), let other = stored.facts.tag else { return false }
            return one.isStronglyEqual(to: other)
        }
        guard let lastModified = stored.facts.lastModified, lastModified.isStrong else { return false }
        return lastModified.text.hasSameBytes(as: condition)
    }
}

/// The part of a stored response that a request gets.
enum Selection: Equatable, Sendable {
    case whole
    /// These bytes of the body.
    case part(Range<Int>)
    /// The stored part as it was received, because the `Range` of both requests is the same.
    case same
    /// Nothing: bytes are missing, or only the server can tell which bytes the request means.
    case nothing

    static func of(_ stored: StoredResponse, for fields: RequestFields, method: HTTPMethod) -> Selection {
        let isWhole = stored.status != .partialContent && stored.content.isComplete
        // A range applies only to a GET (RFC 9110, 14.2) whose response would be a 200 without it.
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

    /// Returns whether an `If-Range` names exactly the stored bytes (RFC 9110, 13.1.5).
    private static func holds(_ condition: String, _ stored: StoredResponse) -> Bool {
        if condition.utf8.contains(UInt8(ascii: "\"")) {
            guard let one = EntityTag(condition), let other = stored.facts.tag else { return false }
            return one.isStronglyEqual(to: other)
        }
        guard let lastModified = stored.facts.lastModified, lastModified.isStrong else { return false }
        return lastModified.text.hasSameBytes(as: condition)
    }
}

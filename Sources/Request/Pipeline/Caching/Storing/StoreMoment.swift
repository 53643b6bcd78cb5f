/// The moment in the history of a store before a request was sent. If the response was removed since, by any process, it
/// is not cached.
enum StoreMoment: Sendable {
    /// The store has no history.
    case absent
    /// A moment and its number. Of two moments, the one with the lower number was taken first.
    case taken(CacheMoment, number: Int)
    /// The moment could not be read. The response is not cached, because what was removed since is unknown.
    case unknown(any Error)

    /// Returns the older one of two moments, which is valid for both. Nil stands for a change without a moment.
    static func older(_ one: StoreMoment?, _ other: StoreMoment?) -> StoreMoment? {
        switch (one, other) {
        case (.unknown, _): one
        case (_, .unknown): other
        case (.taken(_, let first), .taken(_, let second)): first <= second ? one : other
        case (.taken, _): one
        default: other ?? one
        }
    }

    /// The error if the moment is unknown.
    var error: (any Error)? {
        if case .unknown(let error) = self { error } else { nil }
    }

    /// The moment, if there is one.
    var moment: CacheMoment? {
        if case .taken(let moment, _) = self { moment } else { nil }
    }
}

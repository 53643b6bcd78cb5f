/// Where a response comes from.
public enum ResponseSource: Sendable, Hashable {
    /// The server, just now.
    case network
    /// A cache, and the server was not asked, or could not be: the answer was given so long ago. It is stale where it would
    /// rather have been asked for again, had there been a network, or time.
    case cache(age: Duration, isStale: Bool)
    /// A cache, after the server has said that what is kept there is still right.
    case validated

    /// Whether a cache had the answer, also where the server was asked about it.
    public var isCache: Bool { self != .network }

    /// Whether it was given although it should have been asked for again.
    public var isStale: Bool {
        if case .cache(_, isStale: true) = self { true } else { false }
    }
}

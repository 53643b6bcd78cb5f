/// The source of a response.
public enum ResponseSource: Sendable, Hashable {
    /// The server.
    case network
    /// The cache, without contact to the server. The response has this age. It is stale if it should have been
    /// revalidated, but the network or the time for that was missing.
    case cache(age: Duration, isStale: Bool)
    /// The cache, after the server has confirmed that the cached response is current.
    case validated

    /// A Boolean value that indicates whether the response came from a cache, including after revalidation.
    public var isCache: Bool { self != .network }

    /// A Boolean value that indicates whether the response was served although it needed revalidation.
    public var isStale: Bool {
        if case .cache(_, isStale: true) = self { true } else { false }
    }
}

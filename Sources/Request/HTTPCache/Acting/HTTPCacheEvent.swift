/// What happened in the HTTP cache of a client.
public enum HTTPCacheEvent: Sendable {
    /// A request was answered from the cache, fresh or stale, without the server.
    case hit(HTTPRequest, CacheExplanation)
    /// The server said that what is kept for a request is still right.
    case validated(HTTPRequest, CacheExplanation)
    /// The answer to a request is kept.
    case stored(HTTPRequest)
    /// What was kept for the URL of a request was removed.
    case removed(HTTPRequest)
    /// A request is sent again in the background.
    case willRefresh(HTTPRequest)
    /// It was, and this came of it.
    case refreshed(HTTPRequest, Result<HTTPStatus, any Error>)
    /// The store failed. The request went on without it.
    case failed(HTTPRequest, any Error)
}

/// What an application has to say about its HTTP cache.
public struct HTTPCacheHooks: Sendable {
    /// Called before an answer is kept: returns what is kept instead, or nil to keep nothing. Of an answer whose body is on its
    /// way the head alone can be changed.
    public var willStore: (@Sendable (HTTPRequest, HTTPResponse) -> HTTPResponse?)?
    /// Hears of everything that happens, on any thread.
    public var onEvent: (@Sendable (HTTPCacheEvent) -> Void)?

    public init(
        willStore: (@Sendable (HTTPRequest, HTTPResponse) -> HTTPResponse?)? = nil,
        onEvent: (@Sendable (HTTPCacheEvent) -> Void)? = nil
    ) {
        self.willStore = willStore
        self.onEvent = onEvent
    }
}

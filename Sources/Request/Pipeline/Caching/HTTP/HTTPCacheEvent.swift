/// An event of the HTTP cache on behalf of a call, possibly after the call has ended.
struct HTTPCacheEvent: Sendable {
    enum Kind: Sendable {
        /// A cached response was served without the server, fresh or stale.
        case hit(CacheExplanation)
        /// No cached response could be used.
        case missed(CacheActivity.Reason)
        /// The server confirmed that the cached response is current.
        case revalidated(CacheExplanation)
        /// The response of the server was stored.
        case stored
        /// The response was not stored, because it depends on changes that interceptors made behind the cache.
        case notStored(CacheExplanation.Reason)
        /// Cached responses were removed.
        case removed
        /// A refresh in the background was started or queued.
        case willRefresh
        /// A refresh in the background has ended. Its response has no body.
        case refreshed(Result<HTTPResponse, any Error>)
        /// The store failed. The call continued without it.
        case failed(any Error)
    }

    let kind: Kind
    let key: CacheKey
    let request: HTTPRequest
    let context: CallContext
}

/// The hooks of the HTTP cache. They observe its events, and can edit or reject a response before it is stored.
struct HTTPCacheHooks: Sendable {
    /// Called before a response is stored. Returns the response to store, or nil to store none.
    ///
    /// Only the head of a streamed response can be changed.
    var willStore: (@Sendable (HTTPResponse, HTTPRequest, CallContext) -> HTTPResponse?)?
    /// Called for each event, on any thread.
    var onEvent: (@Sendable (HTTPCacheEvent) -> Void)?
    /// Called with the explanation of the response to a call. The last explanation counts.
    var explain: (@Sendable (CacheExplanation, CallContext) -> Void)?
}

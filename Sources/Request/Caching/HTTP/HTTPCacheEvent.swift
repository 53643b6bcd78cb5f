import TangoCache

/// What happened in the HTTP cache on behalf of a call, possibly after the call has ended.
struct HTTPCacheEvent: Sendable {
    enum Kind: Sendable {
        /// It was answered from the cache, fresh or stale, without the server.
        case hit(CacheExplanation)
        /// Nothing was kept that answers it, or nothing that is still right.
        case missed(CacheActivity.Reason)
        /// The server said that what is kept is still right.
        case revalidated(CacheExplanation)
        /// The server's answer is kept.
        case stored
        /// The response was not stored, because interceptors have changed behind the cache what it depends on.
        case notStored(CacheExplanation.Reason)
        /// What was kept for the URL was removed.
        case removed
        /// The request is sent again in the background.
        case willRefresh
        /// It was, and this came of it: an answer whose body has been read already.
        case refreshed(Result<HTTPResponse, any Error>)
        /// The store failed. The call went on without it.
        case failed(any Error)
    }

    let kind: Kind
    let key: CacheKey
    let request: HTTPRequest
    let context: CallContext
}

/// Who hears of what happens in the HTTP cache, and may forbid it.
struct HTTPCacheHooks: Sendable {
    /// Called before an answer is kept: returns what is kept instead, or nil to keep nothing. Of an answer whose body is on its
    /// way the head alone can be changed.
    var willStore: (@Sendable (HTTPResponse, HTTPRequest, CallContext) -> HTTPResponse?)?
    /// Hears of everything that happens, on any thread.
    var onEvent: (@Sendable (HTTPCacheEvent) -> Void)?
    /// Where the reason for the answer to a call goes. The last one counts.
    var explain: (@Sendable (CacheExplanation, CallContext) -> Void)?
}

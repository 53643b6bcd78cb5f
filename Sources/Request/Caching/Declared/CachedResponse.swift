import TangoCache

/// An entry that a call was answered with, as a response if somebody asks for that.
struct CachedResponse: Sendable {
    let entry: CacheEntry
    let source: ResponseSource

    func response(to plan: CommonPlan) -> HTTPResponse? {
        let answer = StoredEntry(entry)
        guard var response = answer.response(withBody: answer.model == nil) else { return nil }
        response.request = try? plan.message()
        response.source = source
        return response
    }
}

/// What a run has to do with the cache, besides what it delivers. Most runs have nothing.
final class CachingState: @unchecked Sendable {
    // Unchecked: the lock of the outcome guards it.

    /// The name of its answer, once it is known.
    var key: CacheKey?
    /// When the run began, as ``Changes`` counts what is removed from the cache.
    var mark: Int
    /// What was delivered first.
    var delivered: CacheEntry?
    /// The response that was delivered first, where the HTTP cache keeps it.
    var shown: HTTPResponse?
    /// Whether the server was asked to say nothing but that this is right, if it is.
    var isConditional = false
    /// Whether the request was sent once more, because the cached response could not be used.
    var isSecondRequest = false
    /// Its place among those who ask although they have an answer.
    var place: RefreshPlaces.Place?
    /// Whether it looks for what is kept, because the server had no answer.
    var isFallingBack = false

    init(key: CacheKey? = nil, mark: Int = 0, shown: HTTPResponse? = nil) {
        self.key = key
        self.mark = mark
        self.shown = shown
    }
}

/// The cached response of a call. It becomes an `HTTPResponse` when it is needed.
struct CachedResponse: Sendable {
    let responses: StoredResponses
    let place: Int
    let source: ResponseSource

    /// A response that is used without the server.
    init(_ responses: StoredResponses, _ place: Int, at now: Double, isStale: Bool) {
        self.responses = responses
        self.place = place
        source = .cache(age: responses.all[place].times.age(at: now), isStale: isStale)
    }

    /// A response that the server has confirmed.
    init(confirmed: StoredResponse) {
        responses = StoredResponses([confirmed])
        place = 0
        source = .validated
    }

    var stored: StoredResponse { responses.all[place] }

    func response(to plan: CommonPlan) -> HTTPResponse? {
        var response = stored.response
        response.request = try? plan.message()
        response.source = source
        return response
    }
}

/// A cached response that was delivered while the run goes on, and its output.
struct Delivered: Sendable {
    let cached: CachedResponse
    let output: AnyOutput
}

/// The state of a run in the cache. Most runs have none.
final class CachingState: @unchecked Sendable {
    // Unchecked: the lock of the run guards it.

    /// The key of the response, once it is known.
    var key: CacheKey?
    /// The mark of the ``ChangeLog`` at the start of the call.
    var mark: Int
    /// The moment in the history of the store before the request was sent; nil before it is taken.
    var moment: StoreMoment?
    /// The cached response that was delivered first.
    var delivered: Delivered?
    /// The response of the HTTP cache that was delivered first.
    var shown: HTTPResponse?
    /// A Boolean value that indicates whether the request that was sent revalidates the delivered response.
    var isConditional = false
    /// A Boolean value that indicates whether the request was sent again, because the cached response could not be
    /// used.
    var isSecondRequest = false
    /// The slot of the call while it refreshes a delivered output.
    var slot: RefreshLimiter.Slot?
    /// A Boolean value that indicates whether the call looks for a cached response, because its request has failed.
    var isFallingBack = false

    init(key: CacheKey? = nil, mark: Int = 0, shown: HTTPResponse? = nil) {
        self.key = key
        self.mark = mark
        self.shown = shown
    }

    /// Returns the state of a run, which is made at the first use.
    static func of(_ run: inout CallCore.State) -> CachingState {
        let caching = run.caching ?? CachingState()
        run.caching = caching
        return caching
    }
}

import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Cached responses that the request rejects or cannot decode. They would fail every call until they expire.
extension CallRun {
    /// Removes an unusable cached response and sends the request once more.
    ///
    /// Returns false for any other response, and the second time in a call. Then the call fails with the error.
    func asksAgain(insteadOf response: HTTPResponse, _ error: any Error) -> Bool {
        guard plan.cachePolicy.fetch == .http, response.source.isCache, !(error is CancellationError),
            let cache = plan.client.httpCache, let message = exchanged.request ?? (try? plan.message())
        else { return false }
        let isFirst = outcome.withLock { outcome in
            guard !outcome.isOver else { return false }
            let caching = outcome.caching ?? CachingState()
            outcome.caching = caching
            defer { caching.isSecondRequest = true }
            return !caching.isSecondRequest
        }
        guard isFirst else { return false }
        let request = response.request ?? message
        cache.discard(response, for: request, plan)
        tell(.cache(.evicted(cache.key(request, plan), .unusable)))
        ask(message)
        return true
    }

    /// Sets the explanation of the second request: the cached response was unusable.
    func explainSecondRequest() {
        guard plan.cachePolicy.fetch == .http, outcome.withLock(\.caching?.isSecondRequest) == true,
            var explanation, [.nothingStored, .noVariant].contains(explanation.reason)
        else { return }
        explanation.reason = .unusable
        explain(explanation)
    }
}

import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A response of the HTTP cache that the request refuses, or can make nothing of: it would fail every call until it expires.
extension CallRun {
    /// Removes such a response and sends the request once more. False if this is none, or has happened before: then the error is
    /// that of the call.
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

    /// Says of the second request why it was sent.
    func explainSecondRequest() {
        guard plan.cachePolicy.fetch == .http, outcome.withLock(\.caching?.isSecondRequest) == true,
            var explanation, [.nothingStored, .noVariant].contains(explanation.reason)
        else { return }
        explanation.reason = .unusable
        explain(explanation)
    }
}

/// A cached response that fails validation or decoding. It would fail every call until it expires.
extension CallCore {
    /// Removes such a response and sends the request once more. Returns false for a response of the server, and for the second
    /// time: then the error is that of the call.
    func sendsAgain(insteadOf response: HTTPResponse, _ error: any Error) -> Bool {
        guard plan.cachePolicy.fetch == .http, response.source.isCache, !(error is CancellationError),
            let cache = plan.client.httpCache, let message = exchanged.request ?? (try? plan.message())
        else { return false }
        let isFirst = state.withLock { state in
            guard !state.phase.isFinished else { return false }
            let caching = state.caching ?? CachingState()
            state.caching = caching
            defer { caching.isSecondRequest = true }
            return !caching.isSecondRequest
        }
        guard isFirst else { return false }
        let request = response.request ?? message
        cache.discard(response, for: request, plan)
        tell(.cache(.evicted(cache.key(request, plan), .unusable)))
        sendRequest(message)
        return true
    }

    /// Explains the second request.
    func explainSecondRequest() {
        guard plan.cachePolicy.fetch == .http, state.withLock(\.caching?.isSecondRequest) == true,
            var explanation, [.nothingStored, .noVariant].contains(explanation.reason)
        else { return }
        explanation.reason = .unusable
        explain(explanation)
    }
}

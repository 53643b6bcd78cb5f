/// The use that a run makes of the HTTP cache before it sends its request.
extension CallCore {
    /// Returns a cached response, without sending anything.
    func cached(_ message: HTTPRequest, isStale: Bool) async throws -> HTTPResponse? {
        guard plan.cachePolicy.fetch == .http else { return nil }
        let context = CallContext(core: self, options: options)
        return try await plan.client.pipeline.cached(message, isStale: isStale, context: context)
    }

    /// Delivers a stale response, if one is cached, and then sends the request.
    func beginWithStale(_ decoder: any AnyOutputDecoder, _ outcome: any CallOutcome) {
        carry { [self] in
            do {
                try Task.checkCancellation()
                let message = try plan.message()
                tell(.willStart(message))
                if let stale = try await cached(message, isStale: true),
                    let output = try? output(of: stale, by: decoder)
                {
                    state.withLock { $0.caching = CachingState(shown: stale) }
                    guard keep(stale), outcome.deliver(output) else { return }
                }
                sendRequest(message)
            } catch {
                arrive { throw error }
            }
        }
    }

    /// Returns whether a response has the content that was delivered before.
    func wasShown(_ response: HTTPResponse) -> Bool {
        guard let shown = state.withLock(\.caching?.shown) else { return false }
        // The content of a response to HEAD is in its fields.
        return response.request?.method != .head && shown.status == response.status && shown.body == response.body
    }
}

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Lookups in the HTTP cache that send no request.
extension CallCore {
    func cached(_ message: HTTPRequest, _ lookup: HTTPCacheInterceptor.Lookup) async throws -> HTTPResponse? {
        guard plan.cachePolicy.fetch == .http else { return nil }
        let context = CallContext(core: self, options: options)
        return try await plan.client.pipeline.cached(message, lookup, context: context)
    }
}

extension CallRun {
    /// Delivers a stale response, if one is cached, and then sends the request.
    func beginWithStale() {
        carry { [self] in
            do {
                try Task.checkCancellation()
                let message = try plan.message()
                tell(.willStart(message))
                if let stale = try await cached(message, .stale), let output = try? output(of: stale) {
                    outcome.withLock { $0.caching = CachingState(shown: stale) }
                    guard keep(stale), deliver(output) else { return }
                }
                ask(message)
            } catch {
                arrive { throw error }
            }
        }
    }

    /// Returns whether a response has the same status and body as the one that was delivered before.
    func wasShown(_ response: HTTPResponse) -> Bool {
        guard let shown = outcome.withLock(\.caching?.shown) else { return false }
        // The response to a HEAD has only fields, which are not compared.
        return response.request?.method != .head && shown.status == response.status && shown.body == response.body
    }
}

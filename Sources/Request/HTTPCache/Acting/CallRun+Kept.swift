#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the HTTP cache keeps, looked at without asking a server: on the way that requests take, so that whatever changes
/// them changes what is looked for.
extension CallCore {
    /// The response that is kept, if it may be given.
    ///
    /// - Parameter evenStale: Whether it may be too old, unless its server forbids that.
    func kept(for message: HTTPRequest, evenStale: Bool) async throws -> HTTPResponse? {
        guard message.isAnsweredByHTTPCache, plan.httpCacheMode != nil, plan.client.httpCache != nil else { return nil }
        var request = message
        request.headers.append(name: "Cache-Control", value: evenStale ? "only-if-cached, max-stale" : "only-if-cached")
        var response = try await plan.client.pipeline.run(request, context: CallContext(core: self, options: options))
        guard explanation?.outcome == .served else { return nil }
        response.request = message
        return response
    }
}

extension CallRun {
    /// Delivers what is kept, however old it is, and then what is new.
    func beginWithKept() {
        carry { [self] in
            do {
                try Task.checkCancellation()
                let message = try plan.message()
                tell(.willStart(message))
                guard let kept = try await kept(for: message, evenStale: true), let output = try? output(of: kept)
                else {
                    return ask(message)
                }
                guard case .cache(_, isStale: true) = kept.source else { return take(output, of: kept) }
                outcome.withLock { $0.caching.shown = kept.body }
                if keep(kept), deliver(output) { ask(message) }
            } catch {
                arrive { throw error }
            }
        }
    }

    /// Whether a response says what was delivered before.
    func wasShown(_ response: HTTPResponse) -> Bool { outcome.withLock(\.caching.shown) == response.body }
}

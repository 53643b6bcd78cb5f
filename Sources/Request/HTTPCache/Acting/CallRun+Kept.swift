#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the HTTP cache keeps, looked at without asking a server: on the way that requests take, so that interceptors that
/// change them change what is looked for.
extension CallCore {
    /// The response that is kept, if it may be given.
    ///
    /// - Parameter evenStale: Whether it may be too old, unless its server forbids that.
    func kept(for message: HTTPRequest, evenStale: Bool) async throws -> HTTPResponse? {
        guard plan.cachePolicy.fetch == .http else { return nil }
        return try await look(evenStale ? .evenStale : .fresh, for: message)
    }

    private func look(_ look: HTTPCacheInterceptor.Look, for message: HTTPRequest) async throws -> HTTPResponse? {
        guard plan.client.httpCache != nil else { return nil }
        do {
            let context = CallContext(core: self, options: options, look: look)
            return try await plan.client.pipeline.run(message, context: context)
        } catch let error as RequestError where error.code == .notCached {
            return nil
        }
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
                outcome.withLock { $0.caching = CachingState(shown: kept) }
                if keep(kept), deliver(output) { ask(message) }
            } catch {
                arrive { throw error }
            }
        }
    }

    /// Whether a response says what was delivered before.
    func wasShown(_ response: HTTPResponse) -> Bool {
        guard let shown = outcome.withLock(\.caching?.shown) else { return false }
        // The answer to a HEAD is all in its fields.
        return response.request?.method != .head && shown.status == response.status && shown.body == response.body
    }
}

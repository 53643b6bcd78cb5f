/// The use that a call makes of the cache of its client. The core uses it where a run begins, has a response, or ends.
///
/// A declared policy does all of its work here: see ``DeclaredCache``. Under the rules of HTTP, the cache is a stage of the
/// pipeline, and the call has only the work on outputs.
struct CallCache: Sendable {
    let core: CallCore

    private var plan: CommonPlan { core.plan }

    // MARK: The beginning

    /// Takes the first step of a call: reads the cache, or sends the request.
    func begin() {
        if let declared = DeclaredCache(self) { return declared.begin() }
        if plan.isCacheFirst { return beginWithStale() }
        if plan.cachePolicy.fetch == .cacheOnly { return failForNothing() }
        core.sendRequest()
    }

    /// Delivers a stale response, if one is cached, and then sends the request.
    private func beginWithStale() {
        core.carry { [self] in
            do {
                try Task.checkCancellation()
                let message = try plan.message()
                core.notify(.willStart(message))
                if case .call(let decoder, let outcome) = core.receiver,
                    let stale = try await cached(message, isStale: true),
                    let output = try? core.output(of: stale, by: decoder)
                {
                    core.state.withLock { $0.caching = CachingState(shown: stale) }
                    guard core.accept(stale), outcome.deliver(output) else { return }
                }
                core.sendRequest(message)
            } catch {
                core.arrive(.failure(error))
            }
        }
    }

    /// Returns a response of the HTTP cache, without sending anything.
    func cached(_ message: HTTPRequest, isStale: Bool) async throws -> HTTPResponse? {
        guard plan.usesHTTPCache else { return nil }
        let context = CallContext(core: core, options: core.options)
        return try await plan.client.pipeline.cached(message, isStale: isStale, context: context)
    }

    func failForNothing() {
        let error = RequestError(
            .notCached, phase: .prepare,
            detail: plan.client.sharedStore == nil
                ? RequestError.noCache
                : "there is no fresh cached response, and the policy forbids network access: use another cache policy",
            request: try? plan.message())
        core.finish(with: error)
    }

    // MARK: A response

    /// Ends the run if the server confirms the response that a declared policy has delivered. Returns false for any
    /// other response.
    func takesForConfirmation(_ response: HTTPResponse) -> Bool {
        response.status == .notModified && DeclaredCache(self)?.takesForConfirmation(response) == true
    }

    /// Ends the run with a response in memory and its output. Returns false if the run cannot use them.
    func take(_ answer: MemoryResponse) -> Bool {
        switch core.receiver {
        case .call(let decoder, _):
            guard decoder.decodes(answer.output), (try? plan.validation.check(answer.response)) != nil
            else { return false }
            plan.client.sharedStore?.use(answer.key)
            explain(answer.explanation)
            if core.accept(answer.response) {
                core.finish(with: answer.output, isUnchanged: wasShown(answer.response))
            }
        case .waiters:
            // The calls make their outputs of the response themselves.
            explain(answer.explanation)
            core.arrive(.success(answer.response))
        case .none: return false
        }
        return true
    }

    /// Ends the run with the output of a response.
    func finish(with output: AnyOutput, of response: HTTPResponse) {
        if let declared = DeclaredCache(self) { return declared.finish(with: output, of: response) }
        plan.client.httpCache?.attach(output, to: response, of: core)
        core.finish(with: output, isUnchanged: wasShown(response))
    }

    /// Returns whether a response has the content that the HTTP cache has delivered before.
    private func wasShown(_ response: HTTPResponse) -> Bool {
        guard plan.isCacheFirst, let shown = core.state.withLock(\.caching?.shown) else { return false }
        // The content of a response to HEAD is in its fields.
        return response.request?.method != .head && shown.status == response.status && shown.body == response.body
    }

    /// Removes a cached response that fails validation or decoding, and sends the request once more. Otherwise, it
    /// would fail every call until it expires.
    ///
    /// Returns false for a response of the server, and for the second time: then the error is that of the call.
    func sendsAgain(insteadOf response: HTTPResponse, _ error: any Error) -> Bool {
        guard plan.usesHTTPCache, response.source.isCache, !(error is CancellationError),
            let cache = plan.client.httpCache, let message = core.exchanged.request ?? (try? plan.message())
        else { return false }
        let isFirst = core.state.withLock { state in
            guard !state.phase.isFinished else { return false }
            return !replace(&CachingState.of(&state).isSecondRequest, with: true)
        }
        guard isFirst else { return false }
        let request = response.request ?? message
        cache.discard(response, for: request, plan)
        core.notify(.cache(.evicted(cache.key(request, plan), .unusable)))
        core.sendRequest(message)
        return true
    }

    /// Sets the decision of the HTTP cache. The second request was sent because the cached response was unusable.
    func explain(_ explanation: CacheExplanation) {
        core.state.withLock { state in
            var explanation = explanation
            if state.caching?.isSecondRequest == true, [.nothingStored, .noVariant].contains(explanation.reason) {
                explanation.reason = .unusable
            }
            state.explanation = explanation
        }
    }

    // MARK: The end

    /// Ends the run with an error, or with a cached response if the policy allows that.
    func finish(with error: any Error) {
        if let declared = DeclaredCache(self) { declared.finish(with: error) } else { core.finish(with: error) }
    }

    /// A Boolean value that indicates whether the run has left its request, which failed, and reads the cache instead.
    var isFallingBack: Bool { core.state.withLock(\.caching?.isFallingBack) == true }

    /// Leaves the slot of the refresh, so that the next one may send its request.
    func leaveRefreshing() {
        guard plan.cachePolicy.fetch == .cacheThenNetwork, let slot = core.state.withLock(\.caching?.slot)
        else { return }
        plan.client.refreshes.leave(slot)
    }

    // MARK: The history of a shared store

    /// A Boolean value that indicates whether a declared policy needs a moment in the history of the store, which is
    /// taken before the request is sent. The HTTP cache takes its moments itself.
    var needsMoment: Bool { plan.caching?.store.shared.hasHistory == true && moment == nil }

    /// The moment in the history of the store before the request was sent; nil before it is taken.
    var moment: StoreMoment? { core.state.withLock(\.caching?.moment) }

    func takeMoment() async {
        guard let caching = plan.caching else { return }
        let key = knownKey(caching, try? plan.message())
        set(await caching.store.shared.moment(for: key, tags: plan.tags.union([plan.identity.tag])))
    }

    /// Takes over what a shared transfer has noted.
    func takeOver(from transfer: CallCache) {
        if let moment = transfer.moment { set(moment) }
        if let explanation = transfer.core.explanation { explain(explanation) }
    }

    private func set(_ moment: StoreMoment) {
        core.state.withLock { CachingState.of(&$0).moment = moment }
    }

    /// Returns the key under which the run stores its response; nil if the body is not known before it is sent.
    func knownKey(_ caching: CachePlan, _ request: @autoclosure () -> HTTPRequest?) -> CacheKey? {
        if let key = core.state.withLock(\.caching?.key) { return key }
        guard let request = request() else { return nil }
        return try? plan.responseKey(caching, isModel: caching.keepsModel, body: request.body)
    }
}

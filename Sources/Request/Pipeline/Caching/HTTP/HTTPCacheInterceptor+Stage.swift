/// The shortcuts of the HTTP cache: it passes requests of other policies, and serves decoded outputs from memory.
extension HTTPCacheInterceptor {
    /// Returns true if the cache has to run for any message of the plan: the method changes something, or the outputs are not
    /// held in memory.
    func isNeeded(for plan: CommonPlan) -> Bool {
        guard plan.method.isSafe else { return true }
        return plan.method == .get && plan.decodingKey == nil && plan.usesHTTPCache
    }

    func shortcut(for request: HTTPRequest, of plan: CommonPlan) -> StageShortcut {
        // A method that changes something makes cached responses obsolete.
        guard request.method.isSafe else { return .needed }
        guard request.isServedByHTTPCache, plan.usesHTTPCache else { return .pass }
        guard let decodingKey = plan.decodingKey,
            let response = memoryResponse(to: request, of: plan, by: decodingKey)
        else {
            return .needed
        }
        return .answer(response)
    }

    /// Returns false if the response clears the cache with `Clear-Site-Data`. This holds under any policy.
    func accepts(_ outcome: Result<HTTPResponse, any Error>, of plan: CommonPlan) -> Bool {
        guard case .success(let response) = outcome, response.headers.contains("Clear-Site-Data") else { return true }
        return !Invalidation.clearsSite(response.headers)
    }

    /// Returns a fresh response and its decoded output, if both are in memory.
    private func memoryResponse(to request: HTTPRequest, of plan: CommonPlan, by decodingKey: DecodingKey)
        -> MemoryResponse?
    {
        guard case .whole(let limit) = plan.delivery, request.method == .get else { return nil }
        let key = key(request, plan)
        guard let responses = responseStore(of: plan).peek(key)?.responses else { return nil }
        let fields = RequestFields(request.headers)
        let now = plan.client.wallTime.seconds
        let decision = CacheDecision.of(
            responses.all, method: request.method, headers: request.headers, fields: fields,
            situation: CacheSituation(now: now, heuristicFreshness: heuristicFreshness))
        guard case .serve(let place, .whole, let explanation) = decision, explanation.reason == .fresh,
            !fields.isConditional
        else { return nil }
        let stored = responses.all[place]
        guard let body = stored.body, limit.map({ body.count <= $0 }) ?? true,
            let decoded = responses.decoded.last(where: { $0.response == stored.id && $0.decodingKey == decodingKey })
        else { return nil }
        var response = HTTPResponse(
            status: stored.status, reason: stored.reason, version: stored.version, headers: stored.headers, body: body,
            request: request)
        response.mark(age: stored.age(at: now) ?? 0, isStale: false)
        return MemoryResponse(response: response, explanation: explanation, output: decoded.output, key: key)
    }

    /// Caches an output in memory beside the response that it was decoded from.
    func attach(_ output: AnyOutput, to response: HTTPResponse, of core: CallCore) {
        let plan = core.plan
        guard case .cache(_, isStale: false) = response.source, !core.isObserved, let decodingKey = plan.decodingKey,
            !plan.client.pipeline.interceptsAboveCache, let request = response.request
        else { return }
        let (key, store) = (key(request, plan), responseStore(of: plan))
        guard
            let source = store.peek(key)?.responses.all.first(where: { stored in
                stored.status == response.status && stored.matches(request.headers) && stored.body == response.body
                    && stored.headers["Content-Type"].hasSameBytes(as: response.headers["Content-Type"])
            })
        else { return }
        let decoded = StoredResponses.Decoded(response: source.id, decodingKey: decodingKey, output: output)
        store.attach(decoded, under: key)
    }
}

extension CommonPlan {
    /// The key of the decoded outputs; nil if outputs are not cached in memory beside their responses.
    var decodingKey: DecodingKey? {
        guard self.cachePolicy.fetch == .http, isQuick, self.validation.isQuick, case .whole = self.delivery,
            let form = self.form, client.sharedStore?.isInMemory == true
        else { return nil }
        return DecodingKey(requestType: ObjectIdentifier(self.requestType), client: client.number, form: form)
    }
}

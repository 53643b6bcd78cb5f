import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the HTTP cache has in memory, with what was made of it before: given without a task, and without decoding it again.
extension CallRun {
    /// Ends the run with that, where it is fresh. False where somebody has to look, or code of the user's to run.
    ///
    /// - Parameter message: The message, where it was made for that.
    func answersAtOnce(_ message: inout HTTPRequest?) -> Bool {
        guard let maker else { return false }
        message = try? plan.message()
        guard let message, let found = glance(message, by: maker), let made = found.output as? Decoded<Output>,
            (try? plan.validation.check(found.response)) != nil
        else { return false }
        explain(found.explanation)
        if keep(found.response) { finish(with: made.output) }
        return true
    }

    /// Keeps in memory what was made of a response that lies there.
    func attach(_ output: Output, to response: HTTPResponse) {
        guard case .cache(_, isStale: false) = response.source, let maker, let cache = plan.client.httpCache,
            let request = response.request
        else { return }
        let decoded = Decoded(output, by: maker, varies: false)
        cache.shelf.attach(
            decoded, by: maker, to: response, for: request, under: cache.key(request, plan.trust))
    }

    /// Who makes the outputs of the run, where others make the same of a body, and nobody would miss what is left out.
    private var maker: Maker? {
        guard plan.cachePolicy.fetch == .http, plan.client.pipeline.isBare, !isObserved, plan.isQuick,
            plan.validation.isQuick, case .whole = plan.delivery, let form = serializer.form,
            plan.client.sharedStore?.isInMemory == true
        else { return nil }
        return Maker(requestType: ObjectIdentifier(plan.requestType), client: plan.client.number, form: form)
    }
}

extension CallCore {
    /// A fresh response in memory that answers the request, why it does, and what was made of it.
    fileprivate func glance(
        _ request: HTTPRequest, by maker: Maker
    ) -> (response: HTTPResponse, explanation: CacheExplanation, output: any Sendable)? {
        guard case .whole(let limit) = plan.delivery, let cache = plan.client.httpCache, request.method == .get,
            request.body.isNone
        else { return nil }
        let key = cache.key(request, plan.trust)
        guard let responses = cache.shelf.glance(key)?.responses else { return nil }
        let fields = RequestFields(request.headers)
        let now = cache.moment
        let decision = CacheDecision.of(
            responses.all, method: request.method, headers: request.headers, fields: fields,
            situation: CacheSituation(now: now, heuristicFreshness: cache.heuristicFreshness))
        guard case .serve(let place, .whole, let explanation) = decision, explanation.reason == .fresh,
            !fields.isConditional
        else { return nil }
        let stored = responses.all[place]
        guard let body = stored.body, limit.map({ body.count <= $0 }) ?? true,
            let made = responses.made.last(where: { $0.response == stored.id && $0.maker == maker })
        else { return nil }
        var response = HTTPResponse(
            status: stored.status, reason: stored.reason, version: stored.version, headers: stored.headers, body: body,
            request: request)
        response.mark(age: stored.age(at: now) ?? 0, isStale: false)
        cache.shelf.shared.use(key)
        return (response, explanation, made.output)
    }
}

extension StoredResponse {
    /// The body, if all of it lies beside the head.
    var body: Data? {
        guard content.parts.count == 1, case .here(let data) = content.parts[0].place, data.count == content.total
        else { return nil }
        return data
    }
}

import TangoPromise

extension Client {
    /// Sends a message as it is, and returns what comes back as it came: for tools, proxies and tests.
    ///
    /// It passes the same pipeline as every call. No status is an error; nothing of the client's headers is added.
    ///
    /// Without a delivery, it returns when all of the body is there, up to the ``Configuration/responseLimit`` of the client.
    ///
    /// With ``TransportOptions/Delivery/stream`` it returns when the head is there, and the call goes on until the body has
    /// ended: ``Timeouts/total``, ``cancelAll(tagged:)`` and ``shutdown()`` reach it, and its progress can be followed. A body
    /// that is released before its end cancels the call. Of the policies, only
    /// ``CachePolicy/http`` keeps such a body: any other is ``CachePolicy/networkOnly`` then, and ``CachePolicy/cacheOnly`` fails
    /// with ``RequestError/Code/notCached``.
    public func send(
        _ request: HTTPRequest, cachePolicy: CachePolicy? = nil, delivery: TransportOptions.Delivery? = nil
    ) async throws -> HTTPResponse {
        let delivery = delivery ?? .whole(limit: configuration.responseLimit)
        var policy = (cachePolicy ?? self.cachePolicy).effective(for: request.method, follows: false)
        if case .stream = delivery, policy.isDeclared {
            guard policy.fetch != .cacheOnly else {
                throw RequestError(
                    .notCached, phase: .prepare,
                    detail: "a streamed body is answered from the cache by the policy .http alone: take it as a whole, "
                        + "with delivery: .whole()",
                    request: request)
            }
            // A body that is on its way cannot be kept as one.
            policy = .networkOnly
        }
        let plan = CommonPlan(
            client: self, cachePolicy: policy, caching: CachePlan(policy, of: self), target: .message(request),
            errorSerializer: nil, validation: .none, uniqueness: .allow,
            timeouts: configuration.timeouts,
            trust: configuration.trust, delivery: delivery, observers: [], tags: [], identifier: nil,
            requestType: HTTPRequest.self,
            refusal: nil, check: nil, form: nil)
        return try await Call.promise(
            Plan(common: plan, recipe: OutputRecipe(Serializer { $0 }), callbackScheduler: .immediate)
        ).value
    }
}

extension Client {
    /// Sends a message as it is, and returns the response as it arrived. Use it for tools, proxies and tests.
    ///
    /// The message passes the same pipeline as every call. No status is an error, and no headers of the client are
    /// added. If the ``Configuration/retryPolicy`` of the client covers the status of a response, the message is sent again,
    /// and the last response is returned.
    ///
    /// By default, it returns once the whole body has arrived, up to the ``Configuration/responseLimit`` of the client.
    ///
    /// With ``TransportOptions/Delivery/stream``, it returns once the head has arrived. The call goes on until the body
    /// has ended. ``Timeouts/total``, ``cancelAll(tagged:)`` and ``shutdown()`` apply to it, and its progress can be
    /// followed. A body that is released before its end cancels the call.
    ///
    /// The only policy that caches a streamed body is ``CachePolicy/http``. With ``CachePolicy/cacheOnly``, the call
    /// fails with ``RequestError/Code/notCached``. All other policies act as ``CachePolicy/networkOnly``.
    public func send(
        _ request: HTTPRequest, cachePolicy: CachePolicy? = nil, delivery: TransportOptions.Delivery? = nil
    ) async throws -> HTTPResponse {
        let delivery = delivery ?? .whole(limit: configuration.responseLimit)
        var policy = (cachePolicy ?? self.cachePolicy).effective(for: request.method, follows: false)
        if case .stream = delivery, policy.isDeclared {
            guard policy.fetch != .cacheOnly else {
                throw RequestError.streamNotCached(request)
            }
            // A declared policy stores whole bodies only.
            policy = .networkOnly
        }
        let identity = self.identity.current
        let plan = CommonPlan(
            client: self, identity: identity, cachePolicy: policy, caching: CachePlan(policy, of: self, identity),
            endpoint: .undeclared, headers: [:], queryStyle: QueryStyle(), raw: request, errorSerializer: nil,
            validation: .none, uniqueness: .allow,
            timeouts: configuration.timeouts, priority: .normal, redirectPolicy: configuration.redirectPolicy,
            retryPolicy: configuration.retryPolicy, retryBudget: configuration.retryBudget,
            waitsForConnectivity: configuration.waitsForConnectivity,
            trust: configuration.trust, delivery: delivery, observers: [],
            tags: [], identifier: nil, requestType: HTTPRequest.self, refusal: nil, check: nil, form: nil,
            redaction: request.ownRedaction ?? redaction)
        return try await Call.promise(
            Plan(common: plan, decoder: OutputDecoder { response, _ in response }, callbackScheduler: .immediate)
        ).value
    }
}

extension RequestError {
    /// The error of a policy that allows only the cache, for a streamed body.
    static func streamNotCached(_ request: HTTPRequest?) -> RequestError {
        RequestError(
            .notCached, phase: .prepare,
            detail: "only the cache policy .http can stream a cached body: use that policy, or read the body "
                + "as a whole, with delivery: .whole()",
            request: request)
    }
}

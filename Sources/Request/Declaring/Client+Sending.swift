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
        let plan = Plan(RawRequest(self, policy))
        let common = plan.common.changed {
            $0.raw = request
            $0.requestType = HTTPRequest.self
            $0.validation = .none
            $0.settings.delivery = delivery
            $0.redaction = request.ownRedaction ?? redaction
        }
        return try await Call.promise(Plan(common: common, decoder: plan.decoder, callbackScheduler: .immediate)).value
    }
}

/// The settings of a message that is sent as it is.
private final class RawRequest: Request<HTTPResponse> {
    private let owner: Client
    private let policy: CachePolicy

    init(_ client: Client, _ policy: CachePolicy) {
        owner = client
        self.policy = policy
    }

    override var client: Client { owner }
    override var cachePolicy: CachePolicy { policy }
    override var errorSerializer: ErrorSerializer? { nil }
    override var serializer: Serializer<HTTPResponse> { Serializer { response in response } }
    override var uniqueness: Uniqueness { .allow }
    override var backgroundPolicy: BackgroundPolicy { .suspend }
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

extension Plan {
    /// - Parameter follows: A Boolean value that indicates whether the caller wants both the cached output and the new
    ///   one.
    init(_ request: Request<Output>, follows: Bool = false) {
        let client = request.client
        request.reading = .passUnretained(client)
        defer { withExtendedLifetime(client) { request.reading = nil } }
        let decoder = request.serializer.decoder
        let endpoint = request.endpoint
        let redirectPolicy = request.redirectPolicy
        let identity = client.identity.current
        let feature = decoder.receiver.flatMap { $0 as? any RequestFeature }
        var policy = request.cachePolicy.effective(for: endpoint.method, follows: follows)
        var refusal = decoder.refusal
        var validation = redirectPolicy.accepting(request.validation)
        var timeouts = request.timeouts
        if let streaming = decoder.streaming {
            if policy.fetch == .cacheOnly { refusal = refusal ?? RequestError.streamNotCached(nil) }
            // A declared policy stores whole bodies only.
            if policy.isDeclared || !streaming.isCached { policy = .networkOnly }
            if !streaming.contentTypes.isEmpty { validation = validation + .contentType(streaming.contentTypes) }
            if let idle = streaming.idle { timeouts.idle = idle.limit }
        }
        let backgroundPolicy = request.backgroundPolicy
        let carrier = backgroundPolicy.carrier(of: endpoint, feature, client, isStreaming: decoder.streaming != nil)
        // The system has limits of its own, and waits for a network.
        if carrier != nil { timeouts = Timeouts(connect: nil, idle: nil) }
        let isBelowBase = endpoint.isBelowBase
        let redaction =
            endpoint.secrets.isEmpty ? client.redaction : (client.redaction ?? .standard).adding(endpoint.secrets)
        let common = CommonPlan(
            client: client, identity: identity, cachePolicy: policy,
            caching: CachePlan(policy, of: request, client, identity),
            endpoint: endpoint, headers: request.headers, queryStyle: request.queryStyle,
            errorSerializer: request.errorSerializer, validation: validation,
            uniqueness: request.uniqueness, timeouts: timeouts, priority: request.priority,
            redirectPolicy: redirectPolicy, retryPolicy: request.retryPolicy,
            retryBudget: request.retryBudget,
            waitsForConnectivity: request.waitsForConnectivity,
            trust: request.trust,
            delivery: decoder.streaming == nil && feature == nil
                ? .whole(limit: request.responseLimit) : .stream,
            observers: request.observers,
            tags: request.tags, identifier: request.identifier, requestType: type(of: request),
            refusal: refusal, check: decoder.check, form: decoder.form,
            follows: follows && decoder.streaming == nil,
            httpKey: policy.fetch == .http && client.httpCache != nil ? DeclaredKey(request) : nil,
            addedHeaders: decoder.streaming?.headers ?? [:], isBelowBase: isBelowBase, redaction: redaction,
            feature: feature, backgroundPolicy: backgroundPolicy, carrier: carrier)
        self.init(common: common, decoder: decoder, callbackScheduler: request.callbackScheduler)
    }
}

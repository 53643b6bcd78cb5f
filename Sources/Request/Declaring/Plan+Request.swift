extension Plan {
    /// - Parameter follows: A Boolean value that indicates whether the caller wants both the cached output and the new
    ///   one.
    init(_ request: Request<Output>, follows: Bool = false) {
        let client = request.client
        request.reading = .passUnretained(client)
        defer { withExtendedLifetime(client) { request.reading = nil } }
        let serializer = request.serializer
        let endpoint = request.endpoint
        let redirectPolicy = request.redirectPolicy
        let identity = client.identity.current
        let download = request.download
        var policy = request.cachePolicy.effective(for: endpoint.method, follows: follows)
        var refusal = serializer.refusal
        var validation = redirectPolicy.accepting(request.validation)
        var timeouts = request.timeouts
        if let streaming = serializer.streaming {
            if policy.fetch == .cacheOnly { refusal = refusal ?? RequestError.streamNotCached(nil) }
            // A declared policy stores whole bodies only.
            if policy.isDeclared || !streaming.isCached { policy = .networkOnly }
            if !streaming.contentTypes.isEmpty { validation = validation + .contentType(streaming.contentTypes) }
            if let idle = streaming.idle { timeouts.idle = idle.limit }
        }
        var common = CommonPlan(
            client: client, identity: identity, cachePolicy: policy,
            caching: CachePlan(policy, of: request, client, identity),
            target: .endpoint(endpoint, request.headers, request.queryStyle),
            errorSerializer: request.errorSerializer, validation: validation,
            uniqueness: request.uniqueness, timeouts: timeouts, priority: request.priority,
            redirectPolicy: redirectPolicy, retryPolicy: request.retryPolicy,
            waitsForConnectivity: request.waitsForConnectivity,
            trust: request.trust,
            delivery: serializer.streaming == nil && download == nil
                ? .whole(limit: request.responseLimit) : .stream,
            observers: request.observers,
            tags: request.tags, identifier: request.identifier, requestType: type(of: request),
            refusal: refusal, check: serializer.check, form: serializer.form,
            follows: follows && serializer.streaming == nil,
            httpKey: policy.fetch == .http && client.httpCache != nil ? DeclaredKey(request) : nil,
            addedHeaders: serializer.streaming?.headers ?? [:], isBelowBase: endpoint.isBelowBase,
            redaction: endpoint.secrets.isEmpty
                ? client.redaction : client.configuration.redaction.adding(endpoint.secrets))
        common.download = download
        common.backgroundPolicy = request.backgroundPolicy
        common.background = .of(common)
        // The system has limits of its own, and waits for a network.
        if common.background != nil { common.timeouts = Timeouts(connect: nil, idle: nil) }
        self.init(common: common, recipe: OutputRecipe(serializer), callbackScheduler: request.callbackScheduler)
    }
}

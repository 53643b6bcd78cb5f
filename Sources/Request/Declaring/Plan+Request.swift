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
        #if DEBUG
            StoreReports.report(policy, of: type(of: request), client)
        #endif
        var refusal = decoder.refusal ?? policy.refusal(of: client)
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
        let settings = CommonPlan.Settings(
            identity: identity, labels: CallLabels(identifier: request.identifier, tags: request.tags),
            delivery: decoder.streaming == nil && feature == nil ? .whole(limit: request.responseLimit) : .stream,
            timeouts: timeouts.ofTransfer, redirectPolicy: redirectPolicy, retryPolicy: request.retryPolicy,
            retryBuckets: request.retryBudget.buckets, waitsForConnectivity: request.waitsForConnectivity,
            networks: request.networks,
            trust: request.trust, cachePolicy: policy, follows: follows && decoder.streaming == nil,
            httpKey: policy.fetch == .http && client.httpCache != nil ? DeclaredKey(request) : nil)
        let values = CommonPlan.Values(
            settings: settings, caching: CachePlan(policy, of: request, client, identity),
            requestType: type(of: request), form: decoder.form, validation: validation,
            errorSerializer: request.errorSerializer, uniqueness: request.uniqueness, priority: request.priority,
            isBelowBase: endpoint.isBelowBase, endpoint: endpoint, headers: request.headers,
            queryStyle: request.queryStyle, total: timeouts.total, observers: request.observers, refusal: refusal,
            isolation: decoder.isolation, addedHeaders: decoder.streaming?.headers ?? [:],
            redaction: endpoint.secrets.isEmpty
                ? client.redaction : (client.redaction ?? .standard).adding(endpoint.secrets),
            feature: feature, backgroundPolicy: backgroundPolicy, carrier: carrier)
        self.init(common: CommonPlan(client, values), decoder: decoder, callbackScheduler: request.callbackScheduler)
    }
}

extension CachePolicy {
    /// Returns the error of the policy, or of a setting that it uses; nil if all are valid.
    fileprivate func refusal(of client: Client) -> RequestError? {
        let problem = problem ?? (fetch == .http ? client.configuration.heuristicFreshness.problem : nil)
        return problem.map { RequestError(.badPolicy, phase: .prepare, detail: $0) }
    }
}

extension CachePlan {
    /// Creates the plan of a request for a store, under any policy.
    convenience init<Output>(_ policy: CachePolicy, of request: Request<Output>, _ store: ResponseStore) {
        self.init(
            policy: policy, store: store, schema: request.schemaVersion, ownKey: request.cacheKey,
            keepsModel: policy.write == .model && ModelCoding<Output>.isPossible)
    }

    /// Creates the plan of a request; nil if the policy does not use the store.
    convenience init?<Output>(
        _ policy: CachePolicy, of request: Request<Output>, _ client: Client, _ identity: Identity
    ) {
        guard policy.isDeclared, let store = client.responseStore(of: identity) else { return nil }
        self.init(policy, of: request, store)
    }
}

extension DeclaredKey {
    /// Reads the declared parts of a key; nil if the request declares neither a key nor a version.
    init?<Output>(_ request: Request<Output>) {
        let schema = request.schemaVersion
        let own = request.cacheKey
        if schema == 0, own == nil { return nil }
        self.init(schema: schema, own: own)
    }
}

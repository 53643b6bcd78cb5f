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
        let policy = request.cachePolicy.effective(for: endpoint.method, follows: follows)
        let download = request.download
        var common = CommonPlan(
            client: client, cachePolicy: policy, caching: CachePlan(policy, of: request, client),
            target: .endpoint(endpoint, request.headers, request.queryStyle),
            errorSerializer: request.errorSerializer, validation: redirectPolicy.accepting(request.validation),
            uniqueness: request.uniqueness, timeouts: request.timeouts, priority: request.priority,
            redirectPolicy: redirectPolicy, retryPolicy: request.retryPolicy,
            waitsForConnectivity: request.waitsForConnectivity,
            trust: request.trust, delivery: download == nil ? .whole(limit: request.responseLimit) : .stream,
            observers: request.observers,
            tags: request.tags, identifier: request.identifier, requestType: type(of: request),
            refusal: serializer.refusal, check: serializer.check, form: serializer.form, follows: follows,
            httpKey: policy.fetch == .http && client.httpCache != nil ? DeclaredKey(request) : nil,
            isBelowBase: endpoint.isBelowBase,
            redaction: endpoint.secrets.isEmpty
                ? client.redaction : client.configuration.redaction.adding(endpoint.secrets))
        common.download = download
        self.init(common: common, recipe: OutputRecipe(serializer), callbackScheduler: request.callbackScheduler)
    }
}

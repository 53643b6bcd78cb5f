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

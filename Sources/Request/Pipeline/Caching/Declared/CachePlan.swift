/// The settings by which a call uses the store of its client. They are fixed when the call starts.
final class CachePlan: Sendable {
    let policy: CachePolicy
    let store: ResponseStore
    let schema: Int
    let ownKey: CacheKey?
    /// A Boolean value that indicates whether outputs are stored instead of responses.
    let keepsModel: Bool

    init(policy: CachePolicy, store: ResponseStore, schema: Int, ownKey: CacheKey?, keepsModel: Bool) {
        self.policy = policy
        self.store = store
        self.schema = schema
        self.ownKey = ownKey
        self.keepsModel = keepsModel
    }

    /// Returns the plan of another page of the same list.
    func page(_ address: String) -> CachePlan {
        CachePlan(policy: policy, store: store, schema: schema, ownKey: ownKey?.page(address), keepsModel: keepsModel)
    }

    /// Creates the plan of a message that is sent as it is. Nil if the policy does not use the store.
    convenience init?(_ policy: CachePolicy, of client: Client, _ identity: Identity) {
        guard policy.isDeclared, let store = client.responseStore(of: identity) else { return nil }
        self.init(policy: policy, store: store, schema: 0, ownKey: nil, keepsModel: false)
    }
}

/// The parts of a key that a request declares itself.
struct DeclaredKey: Hashable, Sendable {
    let schema: Int
    let own: CacheKey?
}

extension CommonPlan {
    /// Returns the key of the response; nil if the body is not known before it is sent.
    ///
    /// - Parameters:
    ///   - isModel: A Boolean value that indicates whether the output is stored, and not the response.
    ///   - body: The encoded body.
    func responseKey(_ caching: CachePlan, isModel: Bool, body: Body) throws -> CacheKey? {
        let (own, model) = (caching.ownKey, isModel ? ModelName.of(self.requestType, self.form) : nil)
        var key = ResponseKey(
            scope: self.identity.scope, schema: caching.schema, method: method, url: "", model: model, custom: own)
        if let raw = self.raw {
            key.url = ResponseKey.plainURL(raw.url)
            key.negotiation = ResponseKey.negotiation(
                in: [:], [:], raw.headers, url: key.url, hasIdentity: self.identity.name != nil)
        } else {
            if own == nil { (key.base, key.url) = try normalizedURL() }
            key.negotiation = ResponseKey.negotiation(
                in: client.configuration.headers, self.headers, self.endpoint.headers, url: key.base + key.url,
                hasIdentity: self.identity.name != nil, isNamed: own != nil)
        }
        // The rules of trust depend on the host in the URL.
        if let digest = try self.trust.digest(for: message().url.host) { key.negotiation += " trust=\(digest)" }
        if own == nil, !body.isNone {
            guard let digest = ResponseKey.digest(of: body) else { return nil }
            key.body = digest
        }
        return key.key
    }

    /// A Boolean value that indicates whether the request is a message that is sent as it is. That of a shared transfer is
    /// not: it was made of a declared request.
    var isMessage: Bool { self.requestType == HTTPRequest.self }

    /// The declared body, before it is encoded.
    var body: Body {
        if let raw = self.raw { raw.body } else { self.endpoint.body }
    }

    /// Returns the normalised URL of the endpoint, in two parts.
    private func normalizedURL() throws -> (base: String, rest: String) {
        let query = try self.endpoint.query.encoded(self.queryStyle)
        if let parts = client.plainBase?.normalized(path: self.endpoint.path, query: query) { return parts }
        let url = try RequestURL.make(
            base: client.baseURL, path: self.endpoint.path, query: self.endpoint.query, style: self.queryStyle)
        return ("", ResponseKey.plainURL(url))
    }
}

extension CacheKey {
    /// Returns a name for the responses under this key that the same fields have selected.
    func variant(_ fields: [SelectingField]) -> CacheKey {
        fields.isEmpty ? self : page(fields.map { "\($0.name)=\($0.value ?? "")" }.joined(separator: "\n"))
    }

    /// Returns the key of another page of the list that this key names.
    func page(_ address: String) -> CacheKey {
        CacheKey(bytes: bytes + [0] + address.utf8)
    }
}

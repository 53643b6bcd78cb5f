/// A private HTTP cache after RFC 9111, at its place in the pipeline.
///
/// It serves fresh responses from a store, revalidates stale ones, and stores new ones. ``CacheDecision`` and the types
/// beside it decide; ``MessageExchange`` carries the decisions out.
final class HTTPCacheInterceptor: Stage {
    let store: SharedStore
    let refresher = BackgroundRefresher()
    let heuristicFreshness: HeuristicFreshness
    /// Returns whether a request cannot be sent, because the device has no network.
    let isOffline: @Sendable (HTTPRequest) -> Bool

    init(
        store: SharedStore, heuristicFreshness: HeuristicFreshness,
        isOffline: @escaping @Sendable (HTTPRequest) -> Bool
    ) {
        self.store = store
        self.heuristicFreshness = heuristicFreshness
        self.isOffline = isOffline
    }

    func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
        guard request.method.isSafe else { return try await change(request, context, next) }
        guard request.isServedByHTTPCache, context.core.plan.usesHTTPCache else {
            let response = try await next(request)
            clearSite(request, response.headers, context.core)
            return response
        }
        return try await MessageExchange(self, request, context, next).run()
    }

    /// Sends an unsafe request, and removes the cached responses that it makes obsolete.
    private func change(_ request: HTTPRequest, _ context: CallContext, _ next: Next) async throws -> HTTPResponse {
        let core = context.core
        let (time, sentCount) = (core.plan.client.wallTime.seconds, core.attemptCount)
        var response = try await next(request)
        let urls = Invalidation.urls(
            method: request.method, url: request.url, status: response.status, headers: response.headers)
        let exchange = exchange(request, core)
        for (place, url) in urls.enumerated() {
            let prefix = HTTPCacheKey.prefix(of: url, host: request.explicitHost)
            exchange.remove(prefix, .url(prefix), isReported: place == 0)
        }
        clearSite(request, response.headers, core)
        // In the history of a store, the removals above come after the request, so the store would refuse the response.
        if request.method == .post, !store.hasHistory, core.plan.usesHTTPCache,
            Storability.of(request, status: response.status, headers: response.headers) == .yes
        {
            // The new mark is after the removals, so they do not prevent storing the response.
            let mark = store.changes.begin()
            core.state.withLock { $0.values[KnownChanges.self] = KnownChanges(mark: mark) }
            let start = CacheExchange.Start(time: time, mark: mark, sentCount: sentCount)
            _ = ResponseStoring(exchange: exchange, request: request, start: start).store(&response)
        }
        return response
    }

    /// Removes all cached responses of a site if the response requires it with `Clear-Site-Data`.
    func clearSite(_ request: HTTPRequest, _ headers: Headers, _ core: CallCore) {
        guard headers.contains("Clear-Site-Data"), Invalidation.clearsSite(headers),
            let prefix = HTTPCacheKey.prefix(ofSite: request.url, host: request.explicitHost)
        else { return }
        exchange(request, core).remove(prefix, .site(prefix))
    }

    func key(_ request: HTTPRequest, _ plan: CommonPlan) -> CacheKey {
        HTTPCacheKey.of(request, identity: plan.identity, plan.trust, plan.httpKey)
    }

    /// Returns the responses of the user that a call is made for. Without a name, the credentials of each request decide.
    func responseStore(of plan: CommonPlan) -> ResponseStore {
        ResponseStore(shared: store, identity: plan.identity)
    }

    func exchange(_ request: HTTPRequest, _ core: CallCore) -> CacheExchange {
        CacheExchange(
            core: core, store: responseStore(of: core.plan), key: key(request, core.plan), isDeclared: false)
    }

    /// Returns the tag of the responses to a request whose key interceptors have changed.
    ///
    /// - Parameter key: The key of the request as it was declared.
    static func tag(ofDeclared key: CacheKey) -> String {
        "declared " + SHA256.hex(key.bytes).prefix(32)
    }

    /// Removes the cached responses to a declared request, also those under keys that interceptors have changed.
    /// Runs no interceptors.
    func evict(_ request: HTTPRequest, _ plan: CommonPlan) async throws {
        let key = key(request, plan)
        let tag = Self.tag(ofDeclared: key)
        store.changes.note([.key(key), .tag(tag)])
        try await responseStore(of: plan).remove(key)
        if plan.client.pipeline.interceptsAboveCache { try await store.remove(.tag(tag)) }
    }

    /// Removes a response that was served and cannot be used.
    func discard(_ response: HTTPResponse, for request: HTTPRequest, _ plan: CommonPlan) {
        responseStore(of: plan).change(key(request, plan)) { stored in
            let others = stored.filter { stored in
                stored.status != response.status || !stored.matches(request.headers)
                    || !stored.headers["Date"].hasSameBytes(as: response.headers["Date"])
            }
            return others.count == stored.count ? nil : others
        }
    }

    /// Returns the cached response to a request, without sending the request.
    ///
    /// - Parameter isStale: True to return only a stale response that may be served, false to return only a fresh one.
    func cached(
        _ request: HTTPRequest, isStale: Bool, _ context: CallContext, _ next: Next
    ) async throws -> HTTPResponse? {
        guard request.isServedByHTTPCache else { return nil }
        return try await MessageExchange(self, request, context, next).cached(isStale: isStale)
    }
}

extension CacheExchange {
    /// The tags of the response to a request. If interceptors have changed its key, they include a tag for the declared key.
    var tags: Set<String> {
        guard !isDeclared, plan.client.pipeline.interceptsAboveCache, let declared = core.exchanged.request else {
            return plan.tags
        }
        let declaredKey = HTTPCacheKey.of(declared, identity: store.identity, plan.trust, plan.httpKey)
        return declaredKey == key ? plan.tags : plan.tags.union([HTTPCacheInterceptor.tag(ofDeclared: declaredKey)])
    }

    /// Returns the state before a request is sent.
    func start() async -> Start {
        let mark = changes.begin()
        let moment = await store.shared.moment(for: key, tags: tags.union([store.identity.tag]))
        return Start(time: now, mark: mark, moment: moment, sentCount: core.attemptCount)
    }
}

extension HTTPRequest {
    /// A Boolean value that indicates whether the cache serves the request: a GET or HEAD without a body.
    ///
    /// The response could depend on a body, which the cache does not compare (RFC 9110, 9.3.1).
    var isServedByHTTPCache: Bool { (method == .get || method == .head) && body.isNone }
}

extension CommonPlan {
    /// A Boolean value that indicates whether the rules of HTTP are those of the call.
    var usesHTTPCache: Bool { self.cachePolicy.fetch == .http }

    /// A Boolean value that indicates whether a response of the HTTP cache is delivered first, and then a newer one.
    var isCacheFirst: Bool { self.follows && usesHTTPCache && client.httpCache != nil }
}

/// A private HTTP cache after RFC 9111.
///
/// It serves fresh responses from a store, revalidates stale ones, and stores new ones. ``CacheDecision`` and the types
/// beside it decide; the interceptor carries the decisions out.
final class HTTPCacheInterceptor: Stage {
    /// The settings of the policy `.http` for a call.
    struct Mode: Hashable, Sendable {
        /// A Boolean value that indicates whether a stale response may be served if the server cannot be reached.
        /// The headers of the response can forbid it.
        var servesStaleOffline = true
        /// A Boolean value that indicates whether the server counts as unreachable.
        /// Then stale responses are served at once.
        var isOffline = false
        /// A Boolean value that indicates whether `stale-while-revalidate` applies: a stale response is served, and
        /// refreshed afterwards.
        var refreshesLater = true
    }

    /// The kind of cached responses that a lookup without a request returns.
    enum Lookup: Hashable, Sendable {
        case fresh
        /// Stale responses, unless their headers forbid serving them.
        case stale
    }

    /// The responses of an identity: that of the call, if it has a name. Without a name, the credentials of each request decide.
    let responseStore: ResponseStore
    let hooks: HTTPCacheHooks
    let refresher: BackgroundRefresher
    let now: @Sendable () -> Date
    let heuristicFreshness: HeuristicFreshness
    /// Returns whether a request cannot be sent, because the device has no network.
    let isOffline: @Sendable (HTTPRequest) -> Bool
    /// Returns the mode for a call; nil if the call does not use this cache.
    let mode: @Sendable (CommonPlan) -> Mode?

    init(
        store: SharedStore, identity: Identity = Identity(nil), hooks: HTTPCacheHooks = HTTPCacheHooks(),
        refresher: BackgroundRefresher = BackgroundRefresher(), now: @escaping @Sendable () -> Date = { Date() },
        heuristicFreshness: HeuristicFreshness = .standard,
        isOffline: @escaping @Sendable (HTTPRequest) -> Bool = { _ in false },
        mode: @escaping @Sendable (CommonPlan) -> Mode? = { _ in Mode() }
    ) {
        responseStore = ResponseStore(shared: store, identity: identity)
        self.hooks = hooks
        self.refresher = refresher
        self.now = now
        self.heuristicFreshness = heuristicFreshness
        self.isOffline = isOffline
        self.mode = mode
    }

    /// Returns the cache of the user that a call is made for.
    func of(_ plan: CommonPlan) -> HTTPCacheInterceptor {
        guard plan.identity.name != nil, !plan.identity.isNamed(identity.name) else { return self }
        return HTTPCacheInterceptor(
            store: responseStore.shared, identity: plan.identity, hooks: hooks, refresher: refresher, now: now,
            heuristicFreshness: heuristicFreshness, isOffline: isOffline, mode: mode)
    }

    func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
        try await of(context.core.plan).exchange(request, context, next)
    }

    private func exchange(_ request: HTTPRequest, _ context: CallContext, _ next: Next) async throws -> HTTPResponse {
        guard request.method.isSafe else { return try await change(request, context, next) }
        guard request.isServedByHTTPCache, let mode = mode(context.core.plan) else {
            let response = try await next(request)
            clearSite(request, response.headers, context)
            return response
        }
        let exchange = CacheExchange(cache: self, request: request, context: context, next: next, mode: mode)
        return try await exchange.run()
    }

    /// Sends an unsafe request, and removes the cached responses that it makes obsolete.
    private func change(_ request: HTTPRequest, _ context: CallContext, _ next: Next) async throws -> HTTPResponse {
        let (time, sentCount) = (moment, context.core.attemptCount)
        var response = try await next(request)
        let urls = Invalidation.urls(
            method: request.method, url: request.url, status: response.status, headers: response.headers)
        let host = request.explicitHost
        for (place, url) in urls.enumerated() {
            let prefix = HTTPCacheKey.prefix(of: url, host: host)
            remove(prefix, .url(prefix), request, context, isReported: place == 0)
        }
        clearSite(request, response.headers, context)
        // In the history of a store, the removals above come after the request, so the store would refuse the response.
        if request.method == .post, !responseStore.shared.hasHistory, mode(context.core.plan) != nil,
            isStorable(request, response)
        {
            // The new mark is after the removals, so they do not prevent storing the response.
            let start = Start(time: time, mark: changes.begin(), moment: .absent, sentCount: sentCount)
            let keeping = ResponseStoring(
                cache: self, request: request, context: context, key: key(request, context), start: start)
            _ = keeping.keep(&response)
        }
        return response
    }

    private func isStorable(_ request: HTTPRequest, _ response: HTTPResponse) -> Bool {
        Storability.of(request, status: response.status, headers: response.headers) == .yes
    }

    /// Removes all cached responses of a site if the response requires it with `Clear-Site-Data`.
    func clearSite(_ request: HTTPRequest, _ headers: Headers, _ context: CallContext) {
        guard headers.contains("Clear-Site-Data"), Invalidation.clearsSite(headers),
            let prefix = HTTPCacheKey.prefix(ofSite: request.url, host: request.explicitHost)
        else { return }
        remove(prefix, .site(prefix), request, context, isReported: true)
    }

    var identity: Identity { responseStore.identity }

    func key(_ request: HTTPRequest, _ context: CallContext) -> CacheKey {
        key(request, context.core.plan)
    }

    func key(_ request: HTTPRequest, _ plan: CommonPlan) -> CacheKey {
        HTTPCacheKey.of(request, identity: identity, plan.trust, plan.httpKey)
    }

    /// Returns the tag of the responses to a request whose key interceptors have changed.
    ///
    /// - Parameter key: The key of the request as it was declared.
    static func tag(ofDeclared key: CacheKey) -> String {
        "declared " + SHA256.hex(key.bytes).prefix(32)
    }

    /// Returns the tags of the response to a request. If interceptors have changed its key, they include a tag for the
    /// declared key.
    func tags(of key: CacheKey, _ context: CallContext) -> Set<String> {
        let core = context.core
        guard core.plan.client.pipeline.interceptsAboveCache, let declared = core.exchanged.request else {
            return core.plan.tags
        }
        let declaredKey = self.key(declared, context)
        guard declaredKey != key else { return core.plan.tags }
        return core.plan.tags.union([Self.tag(ofDeclared: declaredKey)])
    }

    /// Removes the cached responses to a declared request, also those under keys that interceptors have changed.
    /// Runs no interceptors.
    func evict(_ request: HTTPRequest, _ plan: CommonPlan) async throws {
        let key = key(request, plan)
        let tag = Self.tag(ofDeclared: key)
        changes.note([.key(key), .tag(tag)])
        try await responseStore.remove(key)
        if plan.client.pipeline.interceptsAboveCache { try await responseStore.shared.remove(.tag(tag)) }
    }

    /// Removes a response that was served and cannot be used.
    func discard(_ response: HTTPResponse, for request: HTTPRequest, _ plan: CommonPlan) {
        responseStore.change(key(request, plan)) { stored in
            let rest = stored.filter { stored in
                stored.status != response.status || !stored.matches(request.headers)
                    || !stored.headers["Date"].hasSameBytes(as: response.headers["Date"])
            }
            return rest.count == stored.count ? nil : rest
        }
    }

    /// Returns the fields of a request that a response varies by, without those that its key stands for.
    func selecting(_ headers: Headers, for request: HTTPRequest) -> [SelectingField] {
        SelectingField.all(in: headers, for: request.headers, hasIdentity: identity.name != nil)
    }

    /// Returns a stored response, updated with the headers of a newer response to a request.
    func updated(
        _ stored: StoredResponse, with headers: Headers, for request: HTTPRequest, requestTime: Double,
        responseTime: Double
    ) -> StoredResponse {
        let updated = stored.updated(with: headers, requestTime: requestTime, responseTime: responseTime)
        return updated.varying(like: stored, selecting(updated.headers, for: request))
    }

    /// Removes all entries whose keys have a prefix. They are hidden at once, and responses in flight are not stored.
    private func remove(
        _ prefix: CacheKey, _ place: ChangeLog.Place, _ request: HTTPRequest, _ context: CallContext, isReported: Bool
    ) {
        changes.note([place])
        responseStore.shared.remove(.prefix(prefix)) { [self] outcome in
            if let error = outcome.error {
                tell(.failed(error), request, context)
            } else if isReported {
                tell(.removed, request, context)
            }
        }
    }

    /// Returns the cached response to a request, without sending the request.
    func cached(
        _ request: HTTPRequest, _ lookup: Lookup, _ context: CallContext, _ next: Next
    ) async throws -> HTTPResponse? {
        guard request.isServedByHTTPCache else { return nil }
        let mode = Mode(isOffline: lookup == .stale)
        let exchange = CacheExchange(cache: self, request: request, context: context, next: next, mode: mode)
        return try await exchange.cached(isStale: lookup == .stale)
    }

    /// The changes that concern the responses in the store.
    var changes: ChangeLog { responseStore.shared.changes }

    /// Returns the places whose changes concern a response.
    func places(of key: CacheKey, to request: HTTPRequest, tags: Set<String>) -> [ChangeLog.Place] {
        HTTPCacheKey.places(of: key, to: request) + [identity.place] + tags.map { .tag($0) }
    }

    /// The state at the moment when a request is sent.
    struct Start: Sendable {
        let time: Double
        let mark: Int
        /// The moment in the history of the store.
        let moment: StoreMoment
        /// The number of requests that the call has sent before.
        let sentCount: Int
    }

    func start(_ key: CacheKey, _ context: CallContext) async -> Start {
        let mark = changes.begin()
        let since = await responseStore.shared.moment(for: key, tags: tags(of: key, context).union([identity.tag]))
        return Start(time: moment, mark: mark, moment: since, sentCount: context.core.attemptCount)
    }

    /// The current time in seconds since 1970, limited to a range that is safe for calculations.
    var moment: Double {
        let seconds = now().timeIntervalSince1970
        return seconds.isNaN ? 0 : max(-1e11, min(seconds, 1e11))
    }

    func tell(
        _ kind: @autoclosure () -> HTTPCacheEvent.Kind, _ request: HTTPRequest, _ context: CallContext
    ) {
        guard let onEvent = hooks.onEvent else { return }
        onEvent(HTTPCacheEvent(kind: kind(), key: key(request, context), request: request, context: context))
    }

    func explain(_ explanation: CacheExplanation, _ context: CallContext) {
        hooks.explain?(explanation, context)
    }
}

extension HTTPRequest {
    /// A Boolean value that indicates whether the cache serves the request: a GET or HEAD without a body.
    ///
    /// The response could depend on a body, which the cache does not compare (RFC 9110, 9.3.1).
    var isServedByHTTPCache: Bool { (method == .get || method == .head) && body.isNone }
}

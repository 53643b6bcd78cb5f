import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A private HTTP cache after RFC 9111: answers from a store what need not be asked, asks whether the rest is still right, and
/// keeps what comes.
///
/// What to do is decided by ``CacheDecision`` and its kin; this does it.
struct HTTPCacheInterceptor: Stage {
    /// What `.http` means for a call.
    struct Mode: Hashable, Sendable {
        /// Whether what is kept may be given stale where the server cannot be reached, unless the server forbids it.
        var servesStaleOffline = true
        /// Whether it is known that there is no network, so that trying is a waste of time.
        var isOffline = false
        /// Whether what may be given stale while it is asked for is given, and asked for afterwards.
        var refreshesLater = true
    }

    /// The cached responses that a lookup without a server returns.
    enum Lookup: Hashable, Sendable {
        case fresh
        /// Those that are too old, unless their server forbids to serve them.
        case stale
    }

    let responseStore: ResponseStore
    /// Whose responses these are; nil: as the credentials of each request say.
    let identity: String?
    let hooks: HTTPCacheHooks
    let refresher: BackgroundRefresher
    let now: @Sendable () -> Date
    let heuristicFreshness: HeuristicFreshness
    /// What holds for a call; nil where it is not to be answered from this cache, nor kept in it.
    let mode: @Sendable (CommonPlan) -> Mode?

    init(
        store: SharedStore, identity: String? = nil, hooks: HTTPCacheHooks = HTTPCacheHooks(),
        refresher: BackgroundRefresher = BackgroundRefresher(), now: @escaping @Sendable () -> Date = { Date() },
        heuristicFreshness: HeuristicFreshness = .standard,
        mode: @escaping @Sendable (CommonPlan) -> Mode? = { _ in Mode() }
    ) {
        self.identity = identity
        responseStore = ResponseStore(store, identity: identity)
        self.hooks = hooks
        self.refresher = refresher
        self.now = now
        self.heuristicFreshness = heuristicFreshness
        self.mode = mode
    }

    func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
        guard request.method.isSafe else { return try await change(request, context, next) }
        guard request.isServedByHTTPCache, let mode = mode(context.core.plan) else {
            let response = try await next(request)
            clearSite(request, response.headers, context)
            return response
        }
        let exchange = CacheExchange(cache: self, request: request, context: context, next: next, mode: mode)
        return try await exchange.run()
    }

    /// Sends a request that may change something, and forgets what may have changed by it.
    private func change(_ request: HTTPRequest, _ context: CallContext, _ next: Next) async throws -> HTTPResponse {
        let before = start(context)
        var response = try await next(request)
        let urls = Invalidation.urls(
            method: request.method, url: request.url, status: response.status, headers: response.headers)
        let host = request.explicitHost
        for (place, url) in urls.enumerated() {
            let prefix = HTTPCacheKey.prefix(of: url, host: host)
            remove(prefix, .url(prefix), request, context, isReported: place == 0)
        }
        clearSite(request, response.headers, context)
        if request.method == .post, mode(context.core.plan) != nil, isItsOwnAnswer(request, response) {
            // It is newer than what it has changed.
            let start = Start(time: before.time, mark: changes.begin(), sentCount: before.sentCount)
            let keeping = ResponseStoring(
                cache: self, request: request, context: context, key: key(request, context), start: start)
            _ = keeping.keep(&response)
        }
        return response
    }

    private func isItsOwnAnswer(_ request: HTTPRequest, _ response: HTTPResponse) -> Bool {
        Storability.of(request, status: response.status, headers: response.headers) == .yes
    }

    /// Removes everything of a site where its server asks for that.
    func clearSite(_ request: HTTPRequest, _ headers: Headers, _ context: CallContext) {
        guard headers.contains("Clear-Site-Data"), Invalidation.clearsSite(headers),
            let prefix = HTTPCacheKey.prefix(ofSite: request.url, host: request.explicitHost)
        else { return }
        remove(prefix, .site(prefix), request, context, isReported: true)
    }

    func key(_ request: HTTPRequest, _ context: CallContext) -> CacheKey {
        key(request, context.core.plan)
    }

    func key(_ request: HTTPRequest, _ plan: CommonPlan) -> CacheKey {
        HTTPCacheKey.of(request, identity: identity, plan.trust, plan.httpKey)
    }

    /// The tag of everything that is cached for requests which interceptors have made something else of.
    ///
    /// - Parameter key: The key of the request as it was declared.
    static func tag(ofDeclared key: CacheKey) -> String {
        "declared " + SHA256.hex(key.bytes).prefix(32)
    }

    /// Removes what is cached for a declared request, whatever interceptors have made of it. None of them runs.
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

    /// The fields of a request that have selected a response, apart from those that its key stands for.
    func selecting(_ headers: Headers, for request: HTTPRequest) -> [SelectingField] {
        SelectingField.all(in: headers, for: request.headers, hasIdentity: identity != nil)
    }

    /// Returns a stored response as a newer response to a request describes it.
    func updated(
        _ stored: StoredResponse, with headers: Headers, for request: HTTPRequest, requestTime: Double,
        responseTime: Double
    ) -> StoredResponse {
        let updated = stored.updated(with: headers, requestTime: requestTime, responseTime: responseTime)
        return updated.varying(like: stored, selecting(updated.headers, for: request))
    }

    /// Removes everything that begins like this, which is hidden from now on, and what is on its way there.
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

    /// Returns the cached response to a request, without sending anything.
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

    /// The places where a change concerns a response.
    func places(of key: CacheKey, to request: HTTPRequest, tags: Set<String>) -> [ChangeLog.Place] {
        HTTPCacheKey.places(of: key, to: request) + [responseStore.identity] + tags.map { .tag($0) }
    }

    /// When a request left.
    struct Start: Sendable {
        let time: Double
        let mark: Int
        /// How many requests the call had sent before.
        let sentCount: Int
    }

    func start(_ context: CallContext) -> Start {
        Start(time: moment, mark: changes.begin(), sentCount: context.core.attemptCount)
    }

    /// Seconds since 1970, no more than can be counted with.
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
    /// Whether it is one of those that the cache answers. A body may make a difference, of which a cache knows nothing
    /// (RFC 9110, 9.3.1).
    var isServedByHTTPCache: Bool { (method == .get || method == .head) && body.isNone }
}

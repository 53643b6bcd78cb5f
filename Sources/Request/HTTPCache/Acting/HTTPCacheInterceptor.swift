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
struct HTTPCacheInterceptor: Interceptor {
    /// What `.http` means for a call.
    struct Mode: Hashable, Sendable {
        /// Whether what is kept may be given stale where the server cannot be reached, unless the server forbids it.
        var servesStaleOffline = true
        /// Whether it is known that there is no network, so that trying is a waste of time.
        var isOffline = false
        /// Whether what may be given stale while it is asked for is given, and asked for afterwards.
        var refreshesLater = true
    }

    /// What is done with what is kept for a request, without asking a server.
    enum Look: Hashable, Sendable {
        case fresh
        /// Whatever its server does not forbid to give.
        case evenStale
        case remove
    }

    let shelf: ResponseShelf
    /// Whose answers these are, as it stands in keys; nil: as the credentials of each request say.
    let identity: String?
    let hooks: HTTPCacheHooks
    let refresher: BackgroundRefresher
    let now: @Sendable () -> Date
    /// What holds for a call; nil where it is not to be answered from this cache, nor kept in it.
    let mode: @Sendable (CallContext) -> Mode?

    init(
        store: any CacheStore, identity: String? = nil, hooks: HTTPCacheHooks = HTTPCacheHooks(),
        refresher: BackgroundRefresher = BackgroundRefresher(), now: @escaping @Sendable () -> Date = { Date() },
        mode: @escaping @Sendable (CallContext) -> Mode? = { _ in Mode() }
    ) {
        self.identity = identity.map { SHA256.hex($0.utf8) }
        shelf = ResponseShelf(store: store, tags: [Self.tag(identity: identity)])
        self.hooks = hooks
        self.refresher = refresher
        self.now = now
        self.mode = mode
    }

    /// The tag of everything that is kept for an identity, or for nobody in particular, by which signing out removes it.
    static func tag(identity: String?) -> String {
        "http " + AnswerKey.scope(of: identity)
    }

    func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
        if let look = context.look { return try await self.look(look, request, context, next) }
        guard request.method.isSafe else { return try await change(request, context, next) }
        guard request.isAnsweredByHTTPCache, let mode = mode(context) else {
            let response = try await next(request)
            await clearSite(request, response.headers, context)
            return response
        }
        let exchange = CacheExchange(cache: self, request: request, context: context, next: next, mode: mode)
        return try await exchange.run()
    }

    /// Sends a request that may change something, and forgets what may have changed by it.
    private func change(_ request: HTTPRequest, _ context: CallContext, _ next: Next) async throws -> HTTPResponse {
        let sent = moment
        var response = try await next(request)
        let urls = Invalidation.urls(
            method: request.method, url: request.url, status: response.status, headers: response.headers)
        await remove(urls.map { HTTPCacheKey.prefix(of: $0) }, request, context)
        await clearSite(request, response.headers, context)
        if request.method == .post, mode(context) != nil, isItsOwnAnswer(request, response) {
            let keeping = ResponseKeeping(
                cache: self, request: request, context: context, key: key(request, context),
                start: Start(time: sent, mark: shelf.changes.mark))
            _ = await keeping.keep(&response)
        }
        return response
    }

    private func isItsOwnAnswer(_ request: HTTPRequest, _ response: HTTPResponse) -> Bool {
        Storability.of(request, status: response.status, headers: response.headers) == .yes
    }

    /// Removes everything of a site where its server asks for that.
    func clearSite(_ request: HTTPRequest, _ headers: Headers, _ context: CallContext) async {
        guard headers.contains("Clear-Site-Data"), Invalidation.clearsSite(headers),
            let prefix = HTTPCacheKey.prefix(ofSite: request.url)
        else { return }
        await remove([prefix], request, context)
    }

    func key(_ request: HTTPRequest, _ context: CallContext) -> CacheKey {
        key(request, context.options.trust)
    }

    func key(_ request: HTTPRequest, _ trust: ServerTrust) -> CacheKey {
        let trust = trust.digest(for: request.url.host)
        return HTTPCacheKey.responses(
            to: request.url, of: HTTPCacheKey.owner(identity, headers: request.headers, trust: trust))
    }

    /// What of a request an answer to it depends on, as its headers say.
    func selecting(_ headers: Headers, for request: HTTPRequest) -> [SelectingField] {
        var names: [String] = []
        if case .fields(let varied) = Vary(headers) { names = varied.filter { !isCoveredByIdentity($0) } }
        // What somebody was given for his cookies may be his alone.
        if identity == nil, request.headers.contains("Cookie"), !names.contains("cookie") { names.append("cookie") }
        return names.map { SelectingField(name: $0, in: request.headers) }
    }

    /// Whether a field says no more than whose answers these are, which is part of the key.
    private func isCoveredByIdentity(_ name: String) -> Bool {
        name == "authorization" || name == "cookie" && identity != nil
    }

    /// A stored response as a newer answer to a request describes it. It may depend on more of a request since, and then it
    /// is right for what is like this one in that, too.
    func updated(
        _ stored: StoredResponse, with headers: Headers, for request: HTTPRequest, requestTime: Double,
        responseTime: Double
    ) -> StoredResponse {
        let updated = stored.updated(with: headers, requestTime: requestTime, responseTime: responseTime)
        guard Vary(updated.headers) != Vary(stored.headers) else { return updated }
        return updated.depending(on: selecting(updated.headers, for: request))
    }

    private func remove(_ prefixes: [CacheKey], _ request: HTTPRequest, _ context: CallContext) async {
        var isRemoved = !prefixes.isEmpty
        for prefix in prefixes {
            isRemoved = await attempt(request, context) { try await shelf.removeAll(prefix) } && isRemoved
        }
        if isRemoved { tell(.removed, request, context) }
    }

    /// Does that, and throws where there is no response then.
    private func look(
        _ look: Look, _ request: HTTPRequest, _ context: CallContext, _ next: Next
    ) async throws -> HTTPResponse {
        if look == .remove {
            try await shelf.remove(key(request, context))
        } else if request.isAnsweredByHTTPCache {
            let mode = Mode(isOffline: look == .evenStale)
            let exchange = CacheExchange(cache: self, request: request, context: context, next: next, mode: mode)
            if let response = try await exchange.kept(evenStale: look == .evenStale) { return response }
        }
        throw RequestError(.notCached, phase: .prepare, detail: "nothing is kept that answers it", request: request)
    }

    /// When a request left.
    struct Start: Sendable {
        let time: Double
        let mark: Int
    }

    var start: Start { Start(time: moment, mark: shelf.changes.mark) }

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

    /// Does something with the store that the call does not depend on. Returns whether it succeeded.
    @discardableResult
    func attempt(_ request: HTTPRequest, _ context: CallContext, _ work: () async throws -> Void) async -> Bool {
        do {
            try await work()
            return true
        } catch {
            if !(error is CancellationError) { tell(.failed(error), request, context) }
            return false
        }
    }
}

extension HTTPRequest {
    /// Whether it is one of those that the cache answers. A body may make a difference, of which a cache knows nothing
    /// (RFC 9110, 9.3.1).
    var isAnsweredByHTTPCache: Bool { (method == .get || method == .head) && body.isNone }
}

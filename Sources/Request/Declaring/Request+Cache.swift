/// Access to the cached response of a request, without sending anything.
///
/// The key and the form of the response follow from the request, whatever its policy says about reads.
extension Request {
    /// Returns the output of the cached response, or nil if there is none. The response has to be fresh by the
    /// ``cachePolicy``, or by the rules of HTTP with ``CachePolicy/http``.
    ///
    /// No interceptor runs. If an interceptor changes the request, the response is found only if the change is not part
    /// of its key: see ``Client/Configuration/identity``.
    public nonisolated final func cached() async throws -> Output? {
        try await RequestCache(self)?.output()
    }

    /// Stores an output in the cache, as if a server had returned it. Use it for an output that is known already, such
    /// as one that was just sent.
    ///
    /// The encoding of the output is stored, so the output has to be `Codable`. An ``HTTPResponse`` is stored as it is.
    /// ``cached()`` returns the output, and policies that read the cache find it. ``CachePolicy/http`` uses responses
    /// of the server. With it, ``cached()`` prefers a fresh response of the server.
    ///
    /// If the client has no cache, it throws ``RequestError/Code/notCached``.
    public nonisolated final func store(_ output: Output) async throws {
        guard let cache = RequestCache(self) else {
            throw RequestError(.notCached, phase: .prepare, detail: RequestError.noCache)
        }
        try await cache.store(output)
    }

    /// Removes the cached responses to the request.
    ///
    /// No interceptor runs. A response in flight is not cached, and later calls do not share it.
    public nonisolated final func evict() async throws {
        guard let cache = RequestCache(self) else { return Plan(self).common.noteEviction() }
        try await cache.evict()
    }
}

/// The cached response of one request.
///
/// The methods that encode or decode are concurrent, because the caller may be the main actor.
private struct RequestCache<Output: Sendable>: Sendable {
    private let plan: Plan<Output>
    private let caching: CachePlan

    /// Nil if the client has no store.
    init?(_ request: Request<Output>) {
        plan = Plan(request)
        guard let store = plan.common.client.responseStore(of: plan.common.identity) else { return nil }
        caching = CachePlan(request.cachePolicy, of: request, store)
    }

    private var reader: ResponseReader { ResponseReader(plan.common, caching, plan.decoder) }

    private func key(model: Bool, _ message: HTTPRequest) throws -> CacheKey {
        guard let key = try plan.common.responseKey(caching, isModel: model, body: message.body) else {
            throw RequestError(
                .unsupported, phase: .prepare,
                detail:
                    "the response to a request whose body is a file or a stream has no key in the cache: override `cacheKey`",
                request: message)
        }
        return key
    }

    @concurrent func output() async throws -> Output? {
        let message = try plan.common.message()
        if let output = try await fresh(message) { return output }
        let key = try key(model: caching.keepsModel, message)
        guard let responses = try await caching.store.content(of: key) else { return nil }
        switch reader.read(responses, for: message, isStale: false, at: plan.common.client.wallTime.seconds) {
        case .output(let output, _, let decoded):
            if let decoded { caching.store.attach(decoded, under: key) }
            return output.value(as: Output.self)
        case .none(let reason):
            if reason == .unusable { caching.store.remove(responses, under: key) }
            return nil
        }
    }

    /// Returns the output of the fresh response in the HTTP cache, if the policy of the request uses that cache.
    private func fresh(_ message: HTTPRequest) async throws -> Output? {
        // A call that nothing observes.
        let call = CallCore(plan.common.sending(message), receiver: .none, lifetime: .managed, events: nil)
        guard let response = try await CallCache(core: call).cached(message, isStale: false) else { return nil }
        if let output = try? reader.output(of: response) { return output.value(as: Output.self) }
        let client = plan.common.client
        // With an interceptor above the cache, the response may still yield an output, so it is not discarded.
        if !client.pipeline.interceptsAboveCache {
            client.httpCache?.discard(response, for: response.request ?? message, plan.common)
        }
        return nil
    }

    @concurrent func store(_ output: Output) async throws {
        let message = try plan.common.message()
        let output = TypedOutput(output)
        let stored = try reader.stored(output, for: message, at: plan.common.client.wallTime.seconds)
        let key = try key(model: caching.keepsModel, message)
        // A response in flight may be older.
        let store = caching.store
        store.shared.changes.note([.key(key)])
        let decoded = reader.decoded(output, of: stored)
        try await store.shared.carryOut([(key, store.setting(stored, decoded: decoded, for: message.headers))])
    }

    @concurrent func evict() async throws {
        let message = try plan.common.message()
        let keys = try [false, true].map { try key(model: $0, message) }
        caching.store.shared.changes.note(keys.map { .key($0) })
        try await caching.store.shared.carryOut(keys.map { ($0, .remove) })
        let client = plan.common.client
        try await client.httpCache?.evict(
            client.pipeline.prepared(message, for: plan.common), plan.common)
    }
}

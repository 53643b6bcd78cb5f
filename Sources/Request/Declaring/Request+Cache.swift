import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The cached response to a request, read and changed without sending anything.
///
/// Its key and its form follow from the request, whatever its policy says about when it is read.
extension Request {
    /// Returns the cached response to the request, as its output, or nil. It has to count by the ``cachePolicy``: with
    /// ``CachePolicy/http``, it has to be fresh.
    ///
    /// No interceptor runs. A response that was cached for a request as an interceptor has changed it is found only if the change
    /// is not part of its key: see ``Client/Configuration/identity``.
    public nonisolated final func cached() async throws -> Output? {
        try await RequestCache(self)?.output()
    }

    /// Keeps an output, as if a server had given it: for what is known already, such as what was just sent.
    ///
    /// Its encoding is kept, so the output has to be `Codable`. It is what ``cached()`` returns, and what the policies that
    /// look into the cache find. ``CachePolicy/http`` goes by what servers say: ``cached()`` prefers that where it is fresh.
    ///
    /// Where the client has no cache, it throws ``RequestError/Code/notCached``.
    public nonisolated final func store(_ output: Output) async throws {
        guard let kept = RequestCache(self) else {
            throw RequestError(.notCached, phase: .prepare, detail: RequestError.noCache)
        }
        try await kept.store(output)
    }

    /// Removes what is kept that answers the request.
    ///
    /// No interceptor runs. What is in flight is not cached, and later calls do not share it.
    public nonisolated final func evict() async throws {
        guard let kept = RequestCache(self) else { return Plan(self).common.noteEviction() }
        try await kept.evict()
    }
}

/// The place of one request in the cache of its client.
///
/// The functions that encode or decode are concurrent, because the caller may be the main actor.
private struct RequestCache<Output: Sendable>: Sendable {
    private let plan: Plan<Output>
    private let caching: CachePlan

    /// Nil where the client has no store.
    init?(_ request: Request<Output>) {
        plan = Plan(request)
        guard let store = plan.common.client.httpCache?.responseStore else { return nil }
        caching = CachePlan(request.cachePolicy, of: request, store)
    }

    private var reader: ResponseReader { ResponseReader(plan.common, caching, plan.recipe) }

    private func key(model: Bool, _ message: HTTPRequest) throws -> CacheKey {
        let name = model ? ModelName.of(plan.common.requestType) : nil
        let key = try plan.common.responseKey(
            schema: caching.schema, own: caching.ownKey, model: name, body: message.body)
        guard let key else {
            throw RequestError(
                .unsupported, phase: .prepare,
                detail: "the response to a request whose body is a file or a stream has no key: give it a cacheKey",
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
        case .output(let output, _, let made):
            if let made { caching.store.attach(made, under: key) }
            return output.value(as: Output.self)
        case .none(let state, _):
            if state == .unusable { caching.store.shared.change(key, StoreChange(.remove)) }
            return nil
        }
    }

    /// What the HTTP cache keeps, where the policy of the request is to use that.
    private func fresh(_ message: HTTPRequest) async throws -> Output? {
        // A call that nothing observes.
        let call = CallCore(plan.common.sending(message), receiver: .none, lifetime: .managed, events: nil)
        guard let response = try await call.cached(message, .fresh) else { return nil }
        if let output = try? reader.output(of: response) { return output.value(as: Output.self) }
        let client = plan.common.client
        // An interceptor of the user's may make of the response what the request can use.
        if !client.pipeline.interceptsAboveCache {
            client.httpCache?.discard(response, for: response.request ?? message, plan.common)
        }
        return nil
    }

    @concurrent func store(_ output: Output) async throws {
        let message = try plan.common.message()
        let output = OutputBox(output)
        let stored = try reader.stored(output, for: message, at: plan.common.client.wallTime.seconds)
        let key = try key(model: caching.keepsModel, message)
        // What is in flight may be older.
        let store = caching.store
        store.shared.changes.note([.key(key)])
        let made = reader.made(output, of: stored)
        try await store.shared.carryOut([(key, store.setting(stored, made: made, for: message.headers))])
    }

    @concurrent func evict() async throws {
        let message = try plan.common.message()
        let keys = try [false, true].map { try key(model: $0, message) }
        caching.store.shared.changes.note(keys.map { .key($0) })
        try await caching.store.shared.carryOut(keys.map { ($0, .remove) })
        let client = plan.common.client
        try await client.httpCache?.evict(client.pipeline.prepared(message, for: plan.common), plan.common)
    }
}

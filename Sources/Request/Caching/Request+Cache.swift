import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What is kept for one request, without asking a server.
///
/// The name of an answer and what of it is kept follow from the request, whatever its policy says about when it is read.
extension Request {
    /// What is kept that answers the request, if its client has a cache, as long as it counts by its ``cachePolicy``: with ``CachePolicy/http``, as
    /// long as it is fresh.
    public nonisolated final func cached() async throws -> Output? {
        try await KeptAnswer(self)?.output()
    }

    /// Keeps an output, as if a server had given it: for what is known already, such as what was just sent.
    ///
    /// Its encoding is kept, so the output has to be `Codable`. It is what ``cached()`` returns, and what the policies that
    /// look into the cache find. ``CachePolicy/http`` goes by what servers say: ``cached()`` prefers that where it is fresh.
    ///
    /// Where the client has no cache, it throws ``RequestError/Code/notCached``.
    public nonisolated final func store(_ output: Output) async throws {
        guard let kept = KeptAnswer(self) else {
            throw RequestError(.notCached, phase: .prepare, detail: RequestError.noCache)
        }
        try await kept.store(output)
    }

    /// Removes what is kept that answers the request.
    public nonisolated final func evict() async throws {
        try await KeptAnswer(self)?.evict()
    }
}

extension RequestError {
    static let noCache = "the client has no cache: make it with one, as in Client(cache: .shared)"
}

/// The answer to a request that its client keeps.
///
/// What encodes or decodes is concurrent, because the caller may be the main actor.
private struct KeptAnswer<Output: Sendable>: Sendable {
    private let plan: Plan<Output>
    private let caching: CachePlan

    /// Nil where the client has no store.
    init?(_ request: Request<Output>) {
        plan = Plan(request)
        guard let answers = plan.common.client.answers else { return nil }
        caching = CachePlan(request.cachePolicy, of: request, answers)
    }

    private var reader: AnswerReader<Output> { AnswerReader(plan.common, caching, plan.serializer) }

    private func key(model: Bool, _ message: HTTPRequest) throws -> CacheKey {
        let name = model ? ModelName.of(plan.common.requestType) : nil
        let key = try plan.common.answerKey(
            schema: caching.schema, own: caching.ownKey, model: name, body: message.body)
        guard let key else {
            throw RequestError(
                .unsupported, phase: .prepare,
                detail: "the answer to a request whose body is a file or a stream has no name: give it a cacheKey",
                request: message)
        }
        return key
    }

    @concurrent func output() async throws -> Output? {
        let message = try plan.common.message()
        if let output = try await fresh(message) { return output }
        let key = try key(model: caching.keepsModel, message)
        guard let entry = try await caching.answers.get(key) else { return nil }
        let now = plan.common.client.wallTime.seconds
        let age = AnswerEntry(entry).writtenOnly.age(at: now)
        switch reader.read(entry, for: message, source: .cache(age: age, isStale: false), at: now) {
        case .output(let output, let object):
            if let object { caching.answers.attach(object, to: entry, under: key) }
            return output
        case .none(let state, _):
            if state == .unusable { caching.answers.change(key, .remove) }
            return nil
        }
    }

    /// What the HTTP cache keeps, where the policy of the request is to use that.
    private func fresh(_ message: HTTPRequest) async throws -> Output? {
        guard let response = try await look(message).kept(for: message, evenStale: false) else { return nil }
        return try? reader.output(of: response)
    }

    /// A call that nobody sees, for interceptors that want to know whose request it is.
    private func look(_ message: HTTPRequest) -> CallCore {
        CallCore(plan.common.sending(message), lifetime: .managed, events: nil)
    }

    @concurrent func store(_ output: Output) async throws {
        let message = try plan.common.message()
        let now = plan.common.client.wallTime.now
        let entry = try reader.entry(of: output, for: message, at: now)
        let key = try key(model: caching.keepsModel, message)
        // What is on its way may be older.
        caching.answers.changes.note(key)
        try await caching.answers.carryOut([(key, .set(entry))])
    }

    @concurrent func evict() async throws {
        let message = try plan.common.message()
        let keys = try [false, true].map { try key(model: $0, message) }
        for key in keys { caching.answers.changes.note(key) }
        try await caching.answers.carryOut(keys.map { ($0, .remove) })
        try await look(message).removeKept(for: message)
    }
}

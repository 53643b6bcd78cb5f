import Synchronization

/// The list of stages that a request passes on its way to the transport, and its response on the way back.
///
/// All paths use this list. A request is sent on the caller's thread, or gets its response from memory, only if
/// ``shortcut(for:of:)`` says that no stage has to run. If a stage does not accept the outcome, the whole list runs
/// with it as the outcome of the first attempt.
final class Pipeline: Sendable {
    /// An element of the list.
    private struct Link {
        let interceptor: any Interceptor
        /// The interceptor as a stage of the library; nil for an interceptor of the user, which always has to run.
        let stage: (any Stage)?

        init(stage: any Stage) {
            interceptor = stage
            self.stage = stage
        }

        init(interceptor: any Interceptor) {
            self.interceptor = interceptor
            stage = nil
        }
    }

    private let links: [Link]
    /// The stages before the first interceptor of the user, which always has to run.
    private let stages: [any Stage]
    /// The place of the HTTP cache; nil without one.
    private let cachePlace: Int?
    private let httpCache: HTTPCacheInterceptor?
    let transport: any Transport
    private let retry: RetryStage
    /// The limiter of the client, or that of its transport; nil for none.
    let limiter: Limiter?
    /// A Boolean value that indicates whether interceptors of the user stand above the HTTP cache. Then a cached
    /// response may belong to another request than the declared one.
    let interceptsAboveCache: Bool
    /// A Boolean value that indicates whether the list has any stage or interceptor.
    let hasStages: Bool
    let hasAttemptInterceptors: Bool

    /// Assembles the list. This is the only place that determines the order of the stages.
    init(
        transport: any Transport, interceptors: [any Interceptor], stages added: [PlacedStage],
        redirect: RedirectStage, httpCache: HTTPCacheInterceptor?, replacement: ReplacementStage, retry: RetryStage,
        connectivity: ConnectivityStage,
        limiter: Limiter?,
        attemptInterceptors: [any Interceptor]
    ) {
        func stages(_ place: PlacedStage.Place) -> [Link] {
            added.filter { $0.place == place }.map { Link(stage: $0.stage) }
        }
        // The user's interceptors come first: they see each call once, as it was declared, and its final response.
        var links = interceptors.map(Link.init(interceptor:))
        // Each request of a chain of redirects passes all that follows.
        links.append(Link(stage: redirect))
        // Stages that change what is looked up in the cache, or send a request again as another one.
        links += stages(.aboveCache)
        // The cache comes before everything that costs time. A cached response needs no token, no attempt and no
        // connection.
        cachePlace = httpCache == nil ? nil : links.count
        if let httpCache { links.append(Link(stage: httpCache)) }
        // A call that may be replaced before it is sent waits above everything that costs time or a token.
        links.append(Link(stage: replacement))
        // Stages that concern requests which are sent, such as those that add credentials. Each hop of a redirect passes them,
        // and a call that waits there holds no slot.
        links += stages(.belowCache)
        // Retries repeat what is sent, and nothing above it: a cached response needs none.
        self.retry = retry
        links.append(Link(stage: retry))
        // A body that breaks off is an attempt that failed. Its slot is held until it is written.
        links.append(Link(stage: PartStage()))
        // A wait for a network is no retry, and holds no slot.
        links.append(Link(stage: connectivity))
        // A slot is held from connecting to the end of the body, and not while a retry waits.
        self.limiter = limiter
        if let limiter { links.append(Link(stage: LimitStage(limiter: limiter))) }
        // Stages that read the response of each attempt, and not those of the cache.
        links += stages(.aboveTransport)
        // The user's attempt interceptors come last: they see each attempt as it is sent, and each response as it came.
        links += attemptInterceptors.map(Link.init(interceptor:))
        self.links = links
        self.stages = links.prefix { $0.stage != nil }.compactMap(\.stage)
        self.httpCache = httpCache
        self.transport = transport
        interceptsAboveCache = !interceptors.isEmpty
        hasStages = !links.isEmpty
        hasAttemptInterceptors = !attemptInterceptors.isEmpty
    }

    // MARK: The whole list

    // Not inlined, nor is `send`: each stage would have copies of both, one for each place at which it goes on.
    @inline(never)
    func run(_ request: HTTPRequest, context: CallContext, from place: Int = 0) async throws -> HTTPResponse {
        guard place < links.count else { return try await send(request, context: context) }
        let next = Next(context: context, pipeline: self, place: place + 1)
        return try await links[place].interceptor.intercept(request, context: context, next: next)
    }

    @inline(never)
    private func send(_ request: HTTPRequest, context: CallContext) async throws -> HTTPResponse {
        // An interceptor may have gone on although its call was cancelled.
        try Task.checkCancellation()
        if let outcome = context.firstOutcome?.take() { return try outcome.get() }
        let carrier = context.core.plan.carrier?.transport(of: context.core)
        return try await context.core.exchange(request, by: carrier ?? transport, context: context)
    }

    // MARK: Without running a stage

    /// The way in which a request may be sent.
    enum Shortcut {
        /// The response is in memory.
        case answer(MemoryResponse)
        /// The transport may be given the prepared request on the caller's thread.
        case direct(HTTPRequest)
        /// The whole list has to run, in a task.
        case none
    }

    /// Returns false if ``shortcut(for:of:)`` certainly allows none, so that no message has to be made for it.
    func mayShorten(_ plan: CommonPlan, isObserved: Bool) -> Bool {
        // Observers see a request before it is sent, bodies are encoded in a task, and a stream ends after its call. Whether an
        // output may be decoded is found off the main thread, once for each type.
        guard !isObserved, plan.isQuick, plan.delivery != .stream, !stages.isEmpty, plan.isolation?.isFree != false
        else { return false }
        return httpCache?.isNeeded(for: plan) != true
    }

    /// Returns the way in which a request may be sent. All paths use this decision.
    func shortcut(for request: HTTPRequest, of plan: CommonPlan) -> Shortcut {
        var request = request
        for place in stages.indices {
            stages[place].prepare(&request, for: plan)
            switch stages[place].shortcut(for: request, of: plan) {
            case .pass: continue
            case .change(let changed): request = changed
            case .answer(let answer):
                let response = Result<HTTPResponse, any Error>.success(answer.response)
                return stages[..<place].allSatisfy { $0.accepts(response, of: plan) } ? .answer(answer) : .none
            case .needed: return .none
            }
        }
        return stages.count == links.count ? .direct(request) : .none
    }

    /// The way in which a direct exchange gets a slot of the limiter.
    enum Entry {
        /// It has the slot of a server, which ``leave(_:)`` returns; nil without a limiter.
        case enters(LimitedServer?)
        case waits(WaitingRequest, Limiter)
        /// The URL has no server. The whole list has the error.
        case none
    }

    /// Takes a slot of the limiter for a direct exchange, if one is free.
    func enter(_ request: HTTPRequest, for core: CallCore) -> Entry {
        guard let limiter else { return .enters(nil) }
        let server = core.plan.isBelowBase ? core.plan.client.server : try? ServerAddress(request.url)
        guard let server else { return .none }
        let expected = LineExecutor.take(from: core)?.request
        if let slot = expected.map({ limiter.claim($0, at: server) }) ?? limiter.enter(server) { return .enters(slot) }
        return .waits(expected ?? limiter.expect(server, call: core.id, core.priority), limiter)
    }

    /// Returns the slot of a direct exchange.
    func leave(_ slot: LimitedServer?) {
        if let slot { limiter?.leave(slot) }
    }

    /// Counts a direct exchange for the budget of retries.
    func countRequest(_ request: HTTPRequest, of plan: CommonPlan) {
        retry.countRequest(request, of: plan)
    }

    /// Returns what the stages add to a request that calls may share; nil if it is not known. Errors of the request throw.
    func marks(of request: () throws -> HTTPRequest, for plan: CommonPlan) throws -> [ExactString]? {
        var marks: [ExactString] = []
        for link in links {
            switch try link.stage?.mark(of: request, for: plan) {
            case nil, .none?: continue
            case .text(let text)?: marks.append(ExactString(text))
            case .unknown?: return nil
            }
        }
        return marks
    }

    /// Returns whether all stages leave the outcome of a direct exchange as it is. Otherwise, the whole list has to
    /// run.
    func accepts(_ outcome: Result<HTTPResponse, any Error>, of plan: CommonPlan) -> Bool {
        stages.allSatisfy { $0.accepts(outcome, of: plan) }
    }

    /// Returns whether the stages above a place leave a response as it is.
    private func accepts(_ response: HTTPResponse, above place: Int, of plan: CommonPlan) -> Bool {
        links[..<place].allSatisfy { $0.stage?.accepts(.success(response), of: plan) ?? true }
    }

    /// Returns the cached response to a request, without sending anything.
    ///
    /// The stages above the cache prepare the request, and have to accept the response. No interceptor of the user runs.
    func cached(
        _ request: HTTPRequest, isStale: Bool, context: CallContext
    ) async throws -> HTTPResponse? {
        guard let httpCache, let cachePlace else { return nil }
        let request = prepared(request, for: context.core.plan)
        let next = Next(context: context, pipeline: self, place: cachePlace + 1)
        guard let response = try await httpCache.cached(request, isStale: isStale, context, next),
            accepts(response, above: cachePlace, of: context.core.plan)
        else { return nil }
        return response
    }

    /// Returns a request as the stages above the cache prepare it, without the interceptors of the user.
    func prepared(_ request: HTTPRequest, for plan: CommonPlan) -> HTTPRequest {
        var request = request
        for link in links.prefix(cachePlace ?? 0) { link.stage?.prepare(&request, for: plan) }
        return request
    }
}

/// The outcome of a direct exchange that a stage did not accept. The first attempt of the whole list takes it, so that
/// the request is not sent again.
package final class FirstOutcome: Sendable {
    private let outcome: Mutex<Result<HTTPResponse, any Error>?>

    init(_ outcome: Result<HTTPResponse, any Error>) {
        self.outcome = Mutex(outcome)
    }

    /// A Boolean value that indicates whether no attempt has taken the outcome yet.
    package var isPending: Bool { outcome.withLock { $0 != nil } }

    func take() -> Result<HTTPResponse, any Error>? {
        outcome.withLock { replace(&$0, with: nil) }
    }
}

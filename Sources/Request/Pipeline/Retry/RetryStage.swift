/// Sends requests that failed again, as the policy of their call says.
///
/// A request whose first attempt succeeds costs nothing: the stage has no work before it, and accepts its response.
struct RetryStage: Stage {
    private let clock: any Clock<Duration>
    private let wallTime: WallTime
    /// The time of the budgets in seconds, which does not decrease.
    private let time: @Sendable () -> Double
    private let random: @Sendable () -> Double

    init(_ configuration: Client.Configuration, wallTime: WallTime) {
        clock = configuration.clock
        random = configuration.random
        self.wallTime = wallTime
        if let clock = clock as? ManualClock {
            let beginning = clock.now
            time = { beginning.duration(to: clock.now) / .seconds(1) }
        } else {
            time = { Double(MonotonicTime.now()) / 1e9 }
        }
    }

    // MARK: What there is to do

    /// A request with a key is sent by the whole list, because each attempt has the same key.
    func shortcut(for request: HTTPRequest, of plan: CommonPlan) -> StageShortcut {
        Self.problem(of: plan) != nil || plan.retryPolicy.makesKeys && !request.isIdempotent ? .needed : .pass
    }

    /// The error of a policy or a budget with invalid values; nil if they are valid.
    private static func problem(of plan: CommonPlan) -> String? {
        plan.retryPolicy.problem ?? plan.retryBuckets.problem
    }

    /// Returns false if the outcome may lead to another attempt.
    func accepts(_ outcome: Result<HTTPResponse, any Error>, of plan: CommonPlan) -> Bool {
        switch plan.retryPolicy.rule {
        case .never: return true
        case .connectionLoss:
            if case .success = outcome { return true }
        case .failures, .custom: break
        }
        return Self.failure(in: outcome, of: plan) == nil
    }

    /// Returns the failure of an attempt; nil if the call accepts the response, or was cancelled.
    private static func failure(
        in outcome: Result<HTTPResponse, any Error>, of plan: CommonPlan, after earlier: [HTTPStatus] = []
    ) -> RetryDecision.Failure? {
        switch outcome {
        case .success(let response):
            // Other statuses, such as those of redirects, would come again.
            guard response.status.code >= 400, !plan.accepts(response) else { return nil }
            return .status(response.status, before: earlier.count { $0 == response.status })
        case .failure(let error):
            guard let error = error as? RequestError else { return nil }
            return .error(error.code, error.phase)
        }
    }

    // MARK: Attempts

    /// Counts the first attempt of a request, for the budget of its server.
    func countRequest(_ request: HTTPRequest, of plan: CommonPlan) {
        plan.retryBuckets.countRequest(to: try? ServerAddress(request.url), at: time())
    }

    func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
        let plan = context.core.plan
        if let problem = Self.problem(of: plan) {
            throw RequestError(.badPolicy, phase: .prepare, detail: problem, request: request)
        }
        var request = request
        if plan.retryPolicy.makesKeys, !request.isIdempotent {
            request.headers.set(name: "Idempotency-Key", value: context.core.idempotencyKey(of: request))
        }
        // A direct exchange is over, and has been counted.
        if context.firstOutcome?.isPending != true { countRequest(request, of: plan) }
        var next = next
        var attempts = 1
        // The attempts since the call has made progress on which the next attempt builds.
        var counted = 1
        var statuses: [HTTPStatus] = []
        while true {
            let outcome = await Self.outcome(of: request, next)
            // An observer may cancel the call. The attempt holds no slot of the limiter any more.
            await context.core.deliverEvents()
            guard let failure = Self.failure(in: outcome, of: plan, after: statuses) else { return try outcome.get() }
            if context.core.part?.takeProgress() == true {
                counted = 1
                context.core.state.withLock { $0.values[RetryProgress.self, default: RetryProgress()].count += 1 }
            }
            let decision = decide(failure, outcome, counted, request, context.core)
            context.core.changeLastAttempt { $0.retry = decision }
            guard let delay = decision.delay else { return try outcome.get() }
            if case .success(let response) = outcome {
                statuses.append(response.status)
                await response.drain()
            }
            try await wait(delay, before: attempts + 1, request, context)
            attempts += 1
            counted += 1
            next = next.attempting(.retry, isAnew: failure.needsNewConnection)
        }
    }

    private static func outcome(of request: HTTPRequest, _ next: Next) async -> Result<HTTPResponse, any Error> {
        do {
            return .success(try await next(request))
        } catch {
            return .failure(error)
        }
    }

    private func decide(
        _ failure: RetryDecision.Failure, _ outcome: Result<HTTPResponse, any Error>, _ attempts: Int,
        _ request: HTTPRequest, _ core: CallCore
    ) -> RetryDecision {
        let policy = core.plan.retryPolicy
        let response = try? outcome.get()
        let retryAfter = response.flatMap { RetryAfter.wait($0.headers["Retry-After"], now: wallTime.seconds) }
        var situation = RetryDecision.Situation(
            failure: failure, attempts: attempts, isIdempotent: request.isIdempotent,
            isReplayable: request.body.isReplayable, retryAfter: retryAfter, remaining: core.remainingTime,
            random: random())
        let decision = RetryDecision.of(situation, policy) { custom in
            var error: (any Error)?
            if case .failure(let failure) = outcome { error = failure }
            return custom.delay(
                FailedAttempt(
                    request: request, number: attempts, response: response, error: error, retryAfter: retryAfter))
        }
        guard decision.delay != nil, failure.usesBudget, let server = try? ServerAddress(request.url) else {
            return decision
        }
        situation.hasBudget = core.plan.retryBuckets.take(for: server, at: time())
        // The closure of a custom policy runs once for each failure.
        return situation.hasBudget ? decision : RetryDecision.of(situation, policy) { _ in decision.delay }
    }

    private func wait(
        _ delay: Duration, before number: Int, _ request: HTTPRequest, _ context: CallContext
    ) async throws {
        context.become(.retrying(attempt: number, after: delay))
        context.notify(.following(.retry, request, after: delay))
        if delay > .zero { try await clock.wait(for: delay) }
        try Task.checkCancellation()
        context.become(.running)
    }
}

/// The number of times that a run has made progress on which its next attempt builds.
private struct RetryProgress: Sendable {
    var count = 0
}

/// The keys that a run has made.
private struct IdempotencyKeys: Sendable {
    private var keys: [String: String] = [:]

    /// Returns the key of a request: the same each time that a stage or an interceptor sends it, such as after a new token.
    mutating func key(of request: HTTPRequest) -> String {
        let name = "\(request.method) \(request.url.absoluteString)"
        if let known = keys[name] { return known }
        let new = UUID().uuidString
        keys[name] = new
        return new
    }
}

extension CallCore {
    fileprivate func idempotencyKey(of request: HTTPRequest) -> String {
        state.withLock { $0.values[IdempotencyKeys.self, default: IdempotencyKeys()].key(of: request) }
    }

    /// The number of times that the attempts of the run were counted anew, because it had made progress.
    package var progressCount: Int { state.withLock { $0.values[RetryProgress.self]?.count ?? 0 } }
}

extension CommonPlan {
    /// Returns whether the call takes a response as a success, as far as its head shows.
    fileprivate func accepts(_ response: HTTPResponse) -> Bool {
        // The last response to a message is returned as it is, and the earlier ones may be better.
        if isMessage { return response.status.code < 400 }
        // The rules of the application may read the body, and run on the thread of the call later.
        guard self.validation.isQuick else { return response.status.code < 400 }
        return (try? self.validation.check(response.head)) != nil
    }
}

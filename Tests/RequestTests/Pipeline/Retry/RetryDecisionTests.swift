import TangoPromise
import Testing

@testable import TangoRequest
@testable import TestSupport

/// The decision whether an attempt that failed is followed by another one.
struct RetryDecisionTests {
    typealias Failure = RetryDecision.Failure
    typealias Reason = RetryDecision.Reason

    private static func decide(
        _ failure: Failure, _ policy: RetryPolicy, _ change: (inout RetryDecision.Situation) -> Void = { _ in }
    ) -> RetryDecision {
        var situation = RetryDecision.Situation(failure: failure)
        change(&situation)
        return RetryDecision.of(situation, policy)
    }

    // MARK: Failures and methods

    enum Retried: Sendable { case always, ifIdempotent, never }

    static let errors: [(RequestError.Code, RequestError.Phase, underLoss: Retried, underStandard: Retried)] = [
        (.connectionLost, .connect, .always, .always),
        (.connectionLost, .send, .ifIdempotent, .ifIdempotent),
        (.connectionLost, .wait, .ifIdempotent, .ifIdempotent),
        (.connectionLost, .receive, .never, .ifIdempotent),
        (.cannotConnect, .connect, .always, .always),
        (.notProcessed, .wait, .always, .always),
        (.hostNotFound, .connect, .never, .always),
        (.offline, .connect, .never, .always),
        (.connectTimedOut, .connect, .never, .always),
        (.proxyFailed, .connect, .never, .always),
        (.proxyAuthenticationRequired, .connect, .never, .never),
        (.outOfResources, .prepare, .never, .always),
        (.outOfResources, .receive, .never, .never),
        (.idleTimedOut, .wait, .never, .ifIdempotent),
        (.attemptTimedOut, .receive, .never, .ifIdempotent),
        (.attemptTimedOut, .connect, .never, .always),
        (.connectTimedOut, .prepare, .never, .never),
        (.truncated, .receive, .never, .ifIdempotent),
        (.untrusted, .connect, .never, .never),
        (.totalTimedOut, .wait, .never, .never),
        (.badURL, .prepare, .never, .never),
        (.notDecodable, .decode, .never, .never),
    ]

    @Test(arguments: errors)
    func errorsAreRetried(
        _ code: RequestError.Code, _ phase: RequestError.Phase, underLoss: Retried, underStandard: Retried
    ) {
        for (policy, retried) in [(RetryPolicy.connectionLoss, underLoss), (.standard, underStandard)] {
            for isIdempotent in [false, true] {
                let decision = Self.decide(.error(code, phase), policy) { $0.isIdempotent = isIdempotent }
                #expect((decision.delay != nil) == (retried == .always || retried == .ifIdempotent && isIdempotent))
            }
        }
        #expect(Self.decide(.error(code, phase), .never).delay == nil)
    }

    static let statuses: [(HTTPStatus, Retried, withRetryAfter: Retried)] = [
        (408, .always, .always), (421, .always, .always), (425, .always, .always),
        (413, .never, .always),
        (429, .ifIdempotent, .ifIdempotent), (503, .ifIdempotent, .ifIdempotent),
        (500, .ifIdempotent, .ifIdempotent), (502, .ifIdempotent, .ifIdempotent), (504, .ifIdempotent, .ifIdempotent),
        (400, .never, .never), (401, .never, .never), (404, .never, .never), (409, .never, .never),
        (501, .never, .never), (505, .never, .never), (302, .never, .never),
    ]

    @Test(arguments: statuses)
    func statusesAreRetried(_ status: HTTPStatus, _ plain: Retried, withRetryAfter: Retried) {
        for (retryAfter, retried) in [(Duration?.none, plain), (.seconds(1), withRetryAfter)] {
            for isIdempotent in [false, true] {
                let decision = Self.decide(.status(status, before: 0), .standard) {
                    $0.isIdempotent = isIdempotent
                    $0.retryAfter = retryAfter
                }
                #expect((decision.delay != nil) == (retried == .always || retried == .ifIdempotent && isIdempotent))
            }
        }
        #expect(Self.decide(.status(status, before: 0), .connectionLoss).delay == nil)
    }

    // MARK: Waits

    struct Wait: Sendable {
        var failure = Failure.status(503, before: 0)
        var policy = RetryPolicy.exponential(attempts: 100, base: .seconds(1), cap: .seconds(30))
        var attempts = 1
        var random = 0.5
        var retryAfter: Duration?
        let delay: Duration
        var reason = Reason.mayPass
    }

    @Test(arguments: [
        // The upper end doubles with each attempt, up to the cap. The wait is a random part of it.
        Wait(delay: .milliseconds(500)),
        Wait(attempts: 2, delay: .seconds(1)),
        Wait(attempts: 3, delay: .seconds(2)),
        Wait(attempts: 6, delay: .seconds(15)),
        Wait(attempts: 99, delay: .seconds(15)),
        Wait(random: 0, delay: .zero),
        Wait(attempts: 3, random: 0.25, delay: .seconds(1)),
        // A lost connection is replaced at once, the first time.
        Wait(failure: .error(.connectionLost, .wait), delay: .zero),
        Wait(failure: .error(.connectionLost, .wait), attempts: 2, delay: .seconds(1)),
        Wait(failure: .error(.connectionLost, .wait), policy: .connectionLoss, delay: .zero),
        Wait(failure: .error(.hostNotFound, .connect), delay: .milliseconds(500)),
        // The server knows best.
        Wait(retryAfter: .seconds(7), delay: .seconds(7), reason: .serverAsks),
        Wait(retryAfter: .zero, delay: .zero, reason: .serverAsks),
        Wait(retryAfter: .seconds(60), delay: .seconds(60), reason: .serverAsks),
        // A cap below the base counts.
        Wait(policy: .exponential(attempts: 2, base: .seconds(8), cap: .seconds(2)), delay: .seconds(1)),
    ])
    func waitsGrow(_ row: Wait) {
        let decision = Self.decide(row.failure, row.policy) {
            $0.attempts = row.attempts
            $0.random = row.random
            $0.retryAfter = row.retryAfter
        }
        #expect(decision == RetryDecision(after: row.delay, row.reason))
    }

    // MARK: Reasons to give up

    struct Refusal: Sendable {
        var failure = Failure.status(503, before: 0)
        var policy = RetryPolicy.standard
        let change: @Sendable (inout RetryDecision.Situation) -> Void
        let reason: Reason
    }

    @Test(arguments: [
        Refusal(policy: .never, change: { _ in }, reason: .policy),
        Refusal(failure: .error(.hostNotFound, .connect), policy: .connectionLoss, change: { _ in }, reason: .policy),
        Refusal(failure: .status(404, before: 0), change: { _ in }, reason: .final),
        Refusal(change: { $0.isReplayable = false }, reason: .bodyNotReplayable),
        Refusal(change: { $0.isIdempotent = false }, reason: .notIdempotent),
        Refusal(change: { $0.attempts = 3 }, reason: .noAttempts),
        Refusal(
            failure: .error(.connectionLost, .connect), policy: .connectionLoss, change: { $0.attempts = 2 },
            reason: .noAttempts),
        Refusal(failure: .status(408, before: 1), change: { $0.attempts = 2 }, reason: .sameStatus),
        Refusal(failure: .status(421, before: 1), change: { $0.attempts = 2 }, reason: .sameStatus),
        Refusal(change: { $0.retryAfter = .seconds(61) }, reason: .longWait),
        Refusal(change: { ($0.retryAfter, $0.remaining) = (.seconds(5), .seconds(5)) }, reason: .noTime),
        Refusal(change: { ($0.random, $0.remaining) = (0.5, .milliseconds(100)) }, reason: .noTime),
        Refusal(
            failure: .error(.connectionLost, .wait), policy: .connectionLoss, change: { $0.remaining = .zero },
            reason: .noTime),
        Refusal(change: { $0.hasBudget = false }, reason: .noBudget),
    ])
    func reasonsToGiveUp(_ row: Refusal) {
        #expect(Self.decide(row.failure, row.policy, row.change) == RetryDecision(no: row.reason))
    }

    @Test func longestWaitIsASetting() {
        var policy = RetryPolicy.standard
        policy.longestWait = .seconds(600)
        #expect(Self.decide(.status(503, before: 0), policy) { $0.retryAfter = .seconds(600) }.delay == .seconds(600))
    }

    // MARK: Custom policies

    @Test func closureDecides() {
        let policy = RetryPolicy.custom { _ in nil }
        func decide(_ delay: Duration?, _ change: (inout RetryDecision.Situation) -> Void = { _ in }) -> RetryDecision {
            var situation = RetryDecision.Situation(failure: .status(409, before: 0), isIdempotent: false)
            change(&situation)
            return RetryDecision.of(situation, policy) { _ in delay }
        }
        #expect(decide(.seconds(3)) == RetryDecision(after: .seconds(3), .custom))
        #expect(decide(.seconds(-3)) == RetryDecision(after: .zero, .custom))
        #expect(decide(nil) == RetryDecision(no: .custom))
        // These limits hold for every policy.
        #expect(decide(.seconds(3)) { $0.isReplayable = false } == RetryDecision(no: .bodyNotReplayable))
        #expect(decide(.seconds(3)) { $0.remaining = .seconds(2) } == RetryDecision(no: .noTime))
        #expect(decide(.seconds(3)) { $0.hasBudget = false } == RetryDecision(no: .noBudget))
    }

    @Test func policiesAreComparedByTheirValues() {
        #expect(RetryPolicy.standard == .exponential(attempts: 3, base: .milliseconds(250), cap: .seconds(5)))
        #expect(RetryPolicy.standard != .standard.withIdempotencyKey())
        let custom = RetryPolicy.custom { _ in nil }
        #expect(custom == custom)
        #expect(custom != .custom { _ in nil })
    }
}

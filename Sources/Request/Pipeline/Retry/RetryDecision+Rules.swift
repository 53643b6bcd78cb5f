/// The rules of the decision, a pure function of values.
extension RetryDecision {
    /// The way in which an attempt failed.
    enum Failure: Hashable, Sendable {
        case error(RequestError.Code, RequestError.Phase)
        /// A status that the call does not accept, and the number of earlier attempts with the same one.
        case status(HTTPStatus, before: Int)

        /// A Boolean value that indicates whether another attempt adds to the load of the server. A request that the
        /// server has declined has cost it nothing.
        var usesBudget: Bool {
            switch self {
            case .error(.notProcessed, _), .status(.misdirectedRequest, _): false
            case .error, .status: true
            }
        }

        /// A Boolean value that indicates whether the next attempt needs a new connection. The server has said that this one
        /// is not for the host, or it has closed it and may be closing others.
        var needsNewConnection: Bool {
            switch self {
            case .status(.misdirectedRequest, _), .error(.connectionLost, _), .error(.notProcessed, _): true
            case .error, .status: false
            }
        }
    }

    /// The values that a decision depends on.
    struct Situation: Sendable {
        var failure: Failure
        /// The number of attempts so far.
        var attempts = 1
        var isIdempotent = true
        var isReplayable = true
        /// The wait for which the server asks.
        var retryAfter: Duration?
        /// The time that the call has left; nil without a limit.
        var remaining: Duration?
        var hasBudget = true
        /// A number from zero to one, below one.
        var random = 0.0
    }

    /// Returns the decision for an attempt that failed.
    ///
    /// - Parameter custom: Calls the closure of a custom policy.
    static func of(
        _ situation: Situation, _ policy: RetryPolicy, custom: (RetryPolicy.Custom) -> Duration? = { _ in nil }
    ) -> RetryDecision {
        guard policy.rule != .never else { return RetryDecision(no: .policy) }
        guard situation.isReplayable else { return RetryDecision(no: .bodyNotReplayable) }
        // A test without a stub has a mistake, which no policy may hide.
        if case .error(.noStub, _) = situation.failure { return RetryDecision(no: .final) }
        var decision: RetryDecision
        switch policy.rule {
        case .never: return RetryDecision(no: .policy)
        case .custom(let closure):
            guard let delay = custom(closure) else { return RetryDecision(no: .custom) }
            decision = RetryDecision(after: max(delay, .zero), .custom)
        case .connectionLoss:
            if let refusal = situation.refusal(attempts: 2) { return refusal }
            guard situation.isConnectionLoss else { return RetryDecision(no: .policy) }
            decision = RetryDecision(after: .zero, .mayPass)
        case .failures(let attempts, let base, let cap):
            if let refusal = situation.refusal(attempts: attempts) { return refusal }
            if let retryAfter = situation.retryAfter {
                guard retryAfter <= policy.longestWait else { return RetryDecision(no: .longWait) }
                decision = RetryDecision(after: retryAfter, .serverAsks)
            } else if situation.isConnectionLoss, situation.attempts == 1 {
                decision = RetryDecision(after: .zero, .mayPass)
            } else {
                let end = Backoff.end(base: base, cap: cap, attempts: situation.attempts)
                decision = RetryDecision(after: end.part(situation.random), .mayPass)
            }
        }
        if let remaining = situation.remaining, decision.delay.map({ $0 >= remaining }) ?? false {
            return RetryDecision(no: .noTime)
        }
        return situation.hasBudget ? decision : RetryDecision(no: .noBudget)
    }

    private enum Backoff {
        /// The longest wait after a number of attempts: the base, doubled with each attempt, up to the cap.
        static func end(base: Duration, cap: Duration, attempts: Int) -> Duration {
            var end = base
            for _ in 1..<max(attempts, 1) {
                guard end < cap else { break }
                end = end + end
            }
            return min(end, cap)
        }
    }
}

extension RetryDecision.Situation {
    /// The reason why the request may not be sent again; nil if it may.
    fileprivate func refusal(attempts limit: Int) -> RetryDecision? {
        switch condition {
        case .noMethod: return RetryDecision(no: .final)
        case .idempotentMethod where !isIdempotent: return RetryDecision(no: .notIdempotent)
        default: break
        }
        // A server that has misdirected a request, or has not received it in time, does so for a reason.
        if case .status(let status, let before) = failure, before > 0,
            status == .requestTimeout || status == .misdirectedRequest
        {
            return RetryDecision(no: .sameStatus)
        }
        return attempts < limit ? nil : RetryDecision(no: .noAttempts)
    }

    private var condition: RetryCondition {
        switch failure {
        case .error(let code, let phase): .of(code, phase)
        case .status(let status, _): .of(status, hasRetryAfter: retryAfter != nil)
        }
    }

    /// A Boolean value that indicates whether the connection was lost, or could not be opened, before a response began.
    ///
    /// A host that is unknown and a timeout are not among these failures: an immediate attempt would end in the same way,
    /// and a timeout has taken its time.
    fileprivate var isConnectionLoss: Bool {
        switch failure {
        case .error(.connectionLost, let phase): phase != .receive
        case .error(.cannotConnect, _), .error(.notProcessed, _): true
        default: false
        }
    }
}

/// The wait for which a server asks with `Retry-After` (RFC 9110, 10.2.3).
package enum RetryAfter {
    /// Returns the wait: a number of seconds, or the time until a date. A date in the past is no wait.
    ///
    /// - Parameter now: The time of day in seconds since 1970.
    package static func wait(_ text: String?, now: Double) -> Duration? {
        guard let text, !text.isEmpty else { return nil }
        if text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            // A number that is too large to count is a wait without end.
            return .seconds(min(Int64(text) ?? .max, 1 << 40))
        }
        return HTTPDate.parseLeniently(text, now: now).map { .seconds(max($0 - now, 0)) }
    }
}

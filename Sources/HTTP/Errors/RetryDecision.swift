/// The decision whether an attempt that failed is followed by another one. The reason is part of the log of the attempt, and of the error.
public struct RetryDecision: Hashable, Sendable {
    /// The reason of a decision. The set is open.
    public struct Reason: Hashable, Sendable, CustomStringConvertible {
        /// The code of the reason, for programs.
        public let code: String
        /// The reason as a sentence.
        public let description: String

        private init(_ code: String, _ description: String) {
            self.code = code
            self.description = description
        }

        public static func == (left: Reason, right: Reason) -> Bool { left.code.hasSameBytes(as: right.code) }
        public func hash(into hasher: inout Hasher) { hasher.combine(code) }

        /// The failure may be gone with the next attempt.
        public static let mayPass = Reason("mayPass", "the failure may be gone with the next attempt")
        /// The server asks for another attempt.
        public static let serverAsks = Reason("serverAsks", "the server asks for another attempt")
        /// The closure of the policy has decided so.
        public static let custom = Reason("custom", "the closure of the policy has decided so")
        /// The policy does not cover the failure.
        public static let policy = Reason("policy", "the policy does not cover the failure")
        /// The next attempt would fail in the same way.
        public static let final = Reason("final", "the next attempt would fail in the same way")
        /// The server may have processed the request, and its method is not idempotent.
        public static let notIdempotent = Reason(
            "notIdempotent", "the server may have processed the request, and its method is not idempotent")
        /// The body can be read once.
        public static let bodyNotReplayable = Reason("bodyNotReplayable", "the body can be read once")
        /// The policy allows no more attempts.
        public static let noAttempts = Reason("noAttempts", "the policy allows no more attempts")
        /// The same status came again, and one retry is enough for it.
        public static let sameStatus = Reason("sameStatus", "the same status came again")
        /// The server asks for a longer wait than the policy allows.
        public static let longWait = Reason("longWait", "the server asks for a longer wait than the policy allows")
        /// The wait would last longer than the time that the call has left.
        public static let noTime = Reason("noTime", "the wait would last longer than the time that the call has left")
        /// The retry budget for the host is used up.
        public static let noBudget = Reason("noBudget", "the retry budget for the host is used up")
    }

    /// The time to wait before the next attempt; nil if there is none.
    public let delay: Duration?
    /// The reason of the decision.
    public let reason: Reason

    package init(after delay: Duration, _ reason: Reason) {
        self.delay = delay
        self.reason = reason
    }

    package init(no reason: Reason) {
        delay = nil
        self.reason = reason
    }
}

extension RetryDecision: CustomStringConvertible {
    /// Such as `again after 250 ms: the failure may be gone with the next attempt`.
    public var description: String {
        "\(delay.map { "again after \($0.text)" } ?? "not again"): \(reason)"
    }
}

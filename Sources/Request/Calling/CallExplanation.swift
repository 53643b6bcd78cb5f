/// The decisions that were made for a call, with their reasons: about the cache, shared transfers, waits, redirects and
/// retries.
///
/// Its description is a text with the decisions in their order, such as:
///
/// ```text
/// fetched from the server: nothing is cached for the request
/// waited 12.0 seconds for a network
/// attempt 1 waited 0.5 seconds for a slot of the limiter
/// attempt 1 was followed by another one after 0.25 seconds: the failure may be gone with the next attempt
/// attempt 3 followed a redirect to GET https://api.example.com/v2/users
/// attempt 3 was the last one: the policy allows no more attempts
/// ```
///
/// The properties of ``cache`` can be read directly: `explanation.reason` is `explanation.cache?.reason`.
@dynamicMemberLookup
public struct CallExplanation: Sendable, Hashable, CustomStringConvertible {
    /// The decision after an attempt that failed.
    public struct Retry: Sendable, Hashable, CustomStringConvertible {
        /// The number of the attempt, from 1.
        public let attempt: Int
        /// The decision about another attempt, with its reason.
        public let decision: RetryDecision

        public var description: String {
            guard let delay = decision.delay else { return "attempt \(attempt) was the last one: \(decision.reason)" }
            let wait = delay > .zero ? "after \(delay)" : "at once"
            return "attempt \(attempt) was followed by another one \(wait): \(decision.reason)"
        }
    }

    /// A wait of a call before an attempt: for a slot of the ``Limiter``, or for credentials.
    public struct Wait: Sendable, Hashable, CustomStringConvertible {
        /// The number of the attempt, from 1.
        public let attempt: Int
        /// The time that it waited.
        public let duration: Duration

        private let what: String

        init(attempt: Int, duration: Duration, what: String = "a slot of the limiter") {
            self.attempt = attempt
            self.duration = duration
            self.what = what
        }

        public var description: String { "attempt \(attempt) waited \(duration) for \(what)" }
    }

    /// The decision after an attempt whose credentials were rejected.
    public struct Authentication: Sendable, Hashable, CustomStringConvertible {
        /// The number of the attempt, from 1.
        public let attempt: Int
        /// The decision of the `Authenticator`.
        public let decision: Attempt.Authentication

        public var description: String { "attempt \(attempt): \(decision)" }
    }

    /// An attempt that followed a redirect.
    public struct Redirect: Sendable, Hashable, CustomStringConvertible {
        /// The number of the attempt, from 1.
        public let attempt: Int
        /// The method and the URL of the attempt, without secrets.
        public let target: String

        public var description: String { "attempt \(attempt) followed a redirect to \(target)" }
    }

    /// The decision of the HTTP cache; nil if the policy of the call does not use that cache.
    public let cache: CacheExplanation?
    /// The time for which the call has waited for a network; nil if it did not wait: see
    /// ``Client/Configuration/waitsForConnectivity``.
    public let waitForConnectivity: Duration?
    /// The ``AnyCall/id`` of the call whose transfer the call has shared; nil if it has sent its own request.
    public let joinedCall: UInt64?
    /// The waits for a slot of the limiter, in order.
    public let queueWaits: [Wait]
    /// The redirects that were followed, in order.
    public let redirects: [Redirect]
    /// The times for which the call was held until it had credentials, in order.
    public let holds: [Wait]
    /// The decisions after responses that rejected credentials, in order.
    public let authentications: [Authentication]
    /// The decisions after attempts that failed, in order.
    public let retries: [Retry]

    /// Creates the explanation of a call; nil if there is nothing to explain.
    ///
    /// - Parameters:
    ///   - waited: The time for which the call has waited for a network.
    ///   - joined: The number of the call whose transfer the call has shared.
    ///   - isFailure: A Boolean value that indicates whether the call has failed.
    init?(
        _ cache: CacheExplanation?, _ attempts: [Attempt], waited: Duration = .zero, joined: UInt64? = nil,
        isFailure: Bool
    ) {
        var retries = attempts.compactMap { attempt in
            attempt.retry.map { Retry(attempt: attempt.number, decision: $0) }
        }
        // The retry stage does not see failures that its policy ignores.
        if isFailure, let last = attempts.last, last.retry == nil, last.isFailure {
            retries.append(Retry(attempt: last.number, decision: RetryDecision(no: .policy)))
        }
        queueWaits = attempts.compactMap { attempt in
            attempt.queued.map { Wait(attempt: attempt.number, duration: $0) }
        }
        holds = attempts.compactMap { attempt in
            attempt.held.map { Wait(attempt: attempt.number, duration: $0, what: "credentials") }
        }
        authentications = attempts.compactMap { attempt in
            attempt.authentication.map { Authentication(attempt: attempt.number, decision: $0) }
        }
        redirects = attempts.filter { $0.cause == .redirect }.map { attempt in
            Redirect(attempt: attempt.number, target: "\(attempt.request)")
        }
        let isEmpty =
            retries.isEmpty && queueWaits.isEmpty && redirects.isEmpty && holds.isEmpty && authentications.isEmpty
        guard cache != nil || waited > .zero || joined != nil || !isEmpty else { return nil }
        joinedCall = joined
        self.cache = cache
        waitForConnectivity = waited > .zero ? waited : nil
        self.retries = retries
    }

    /// Returns a property of ``cache``.
    public subscript<Value>(dynamicMember path: KeyPath<CacheExplanation, Value>) -> Value? {
        cache?[keyPath: path]
    }

    /// Returns a property of ``cache`` that may be nil itself.
    public subscript<Value>(dynamicMember path: KeyPath<CacheExplanation, Value?>) -> Value? {
        cache?[keyPath: path]
    }

    public var description: String {
        let before = [
            cache?.description, joinedCall.map { "shared the transfer of call \($0), which was in flight" },
            waitForConnectivity.map { "waited \($0) for a network" },
        ]
        // The order of the decisions about one attempt is that in which they were made.
        let decisions =
            redirects.map { ($0.attempt, $0.description) } + holds.map { ($0.attempt, $0.description) }
            + queueWaits.map { ($0.attempt, $0.description) } + retries.map { ($0.attempt, $0.description) }
            + authentications.map { ($0.attempt, $0.description) }
        let lines =
            before.compactMap(\.self)
            + Set(decisions.map(\.0)).sorted().flatMap { number in decisions.filter { $0.0 == number }.map(\.1) }
        return lines.joined(separator: "\n")
    }
}

extension Attempt {
    /// A Boolean value that indicates whether the server or the network has failed the attempt.
    fileprivate var isFailure: Bool {
        error is RequestError || response.map { $0.status.code >= 400 } ?? false
    }
}

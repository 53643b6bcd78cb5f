/// The decisions that were made for a call, with their reasons: about the cache, shared transfers, waits, redirects and
/// retries.
///
/// Its description is a text with the decisions in their order, such as:
///
/// ```text
/// fetched from the server: nothing is cached for the request
/// waited 12 s for a network
/// attempt 1 waited 0.48 ms for a slot of the limiter
/// attempt 1 was followed by another one after 250 ms: the failure may be gone with the next attempt
/// attempt 3 followed a redirect to GET https://api.example.com/v2/users
/// attempt 3 was the last one: the policy allows no more attempts
/// ```
///
/// The properties of ``cache`` can be read directly: `explanation.reason` is `explanation.cache?.reason`.
@dynamicMemberLookup
public struct CallExplanation: Sendable, Hashable, CustomStringConvertible {
    /// A decision about one attempt, whose number counts from 1.
    public enum Decision: Sendable, Hashable, CustomStringConvertible {
        /// The attempt followed a redirect. The target is its method and its URL, without secrets.
        case redirect(attempt: Int, target: String)
        /// The attempt was held for a time, until the call had credentials.
        case hold(attempt: Int, Duration)
        /// The attempt waited for a slot of the ``Limiter``.
        case queue(attempt: Int, Duration)
        /// The attempt failed, and was retried or not.
        case retry(attempt: Int, RetryDecision)
        /// The credentials of the attempt were rejected, and the `Authenticator` decided.
        case authentication(attempt: Int, Attempt.Authentication)

        public var description: String {
            switch self {
            case .redirect(let attempt, let target): "attempt \(attempt) followed a redirect to \(target)"
            case .hold(let attempt, let duration): "attempt \(attempt) waited \(duration.text) for credentials"
            case .queue(let attempt, let duration):
                "attempt \(attempt) waited \(duration.text) for a slot of the limiter"
            case .retry(let attempt, let decision):
                switch decision.delay {
                case nil: "attempt \(attempt) was the last one: \(decision.reason)"
                case .zero?: "attempt \(attempt) was followed by another one at once: \(decision.reason)"
                case let delay?:
                    "attempt \(attempt) was followed by another one after \(delay.text): \(decision.reason)"
                }
            case .authentication(let attempt, let decision): "attempt \(attempt): \(decision)"
            }
        }
    }

    /// The decision of the HTTP cache; nil if the policy of the call does not use that cache.
    public let cache: CacheExplanation?
    /// The time for which the call has waited for a network; nil if it did not wait: see
    /// ``Client/Configuration/waitsForConnectivity``.
    public let waitForConnectivity: Duration?
    /// The time for which the call has waited for a newer one to replace it; nil if it did not wait: see
    /// ``Uniqueness/replace(after:)``.
    public let waitForReplacement: Duration?
    /// A Boolean value that indicates whether a newer call has replaced the call: see ``Uniqueness/replace``.
    public let isReplaced: Bool
    /// The ``AnyCall/id`` of the call whose transfer the call has shared; nil if it has sent its own request.
    public let joinedCall: UInt64?
    /// The decisions about the attempts, in order.
    public let decisions: [Decision]

    /// Creates the explanation of a call; nil if there is nothing to explain.
    ///
    /// - Parameters:
    ///   - waited: The time for which the call has waited for a network.
    ///   - replacement: The time for which the call has waited for a newer one.
    ///   - isReplaced: A Boolean value that indicates whether a newer call has replaced the call.
    ///   - joined: The number of the call whose transfer the call has shared.
    ///   - isFailure: A Boolean value that indicates whether the call has failed.
    init?(
        _ cache: CacheExplanation?, _ attempts: [Attempt], waited: Duration = .zero,
        replacement: Duration? = nil, isReplaced: Bool = false, joined: UInt64? = nil, isFailure: Bool
    ) {
        let last = isFailure ? attempts.last?.number : nil
        decisions = attempts.flatMap { $0.decisions(endsCall: $0.number == last) }
        guard
            cache != nil || waited > .zero || replacement != nil || isReplaced || joined != nil || !decisions.isEmpty
        else { return nil }
        waitForReplacement = replacement
        self.isReplaced = isReplaced
        joinedCall = joined
        self.cache = cache
        waitForConnectivity = waited > .zero ? waited : nil
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
            waitForReplacement.map { "waited \($0.text) for a newer call to replace it" },
            waitForConnectivity.map { "waited \($0.text) for a network" },
        ]
        let end = isReplaced ? ["was replaced by a newer call"] : []
        return (before.compactMap(\.self) + decisions.map(\.description) + end).joined(separator: "\n")
    }
}

extension Attempt {
    /// Returns the decisions about the attempt, in the order in which they were made.
    fileprivate func decisions(endsCall: Bool) -> [CallExplanation.Decision] {
        // The retry stage does not see failures that its policy ignores.
        var retry = retry ?? (endsCall && isFailure ? RetryDecision(no: .policy) : nil)
        // It was not the last attempt, though it was not retried.
        if authentication == .sentAgain, retry?.delay == nil { retry = nil }
        return [
            cause == .redirect ? .redirect(attempt: number, target: "\(request)") : nil,
            held.map { .hold(attempt: number, $0) },
            queued.map { .queue(attempt: number, $0) },
            retry.map { .retry(attempt: number, $0) },
            authentication.map { .authentication(attempt: number, $0) },
        ].compactMap(\.self)
    }

    /// A Boolean value that indicates whether the server or the network has failed the attempt.
    fileprivate var isFailure: Bool {
        error is RequestError || response.map { $0.status.code >= 400 } ?? false
    }
}

/// The decisions that were made for a call, with their reasons: whether the cache was used, whether the call waited for a
/// network, and whether the request was sent again.
///
/// Its description is a text such as:
///
/// ```text
/// fetched from the server: nothing is cached for the request
/// waited 12.0 seconds for a network
/// attempt 1 was followed by another one after 0.25 seconds: the failure may be gone with the next attempt
/// attempt 2 was the last one: the policy allows no more attempts
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

    /// The decision of the HTTP cache; nil if the policy of the call does not use that cache.
    public let cache: CacheExplanation?
    /// The time for which the call has waited for a network; nil if it did not wait: see
    /// ``Client/Configuration/waitsForConnectivity``.
    public let waitForConnectivity: Duration?
    /// The decisions after attempts that failed, in order.
    public let retries: [Retry]

    /// Creates the explanation of a call; nil if there is nothing to explain.
    ///
    /// - Parameters:
    ///   - waited: The time for which the call has waited for a network.
    ///   - isFailure: A Boolean value that indicates whether the call has failed.
    init?(_ cache: CacheExplanation?, _ attempts: [Attempt], waited: Duration = .zero, isFailure: Bool) {
        var retries = attempts.compactMap { attempt in
            attempt.retry.map { Retry(attempt: attempt.number, decision: $0) }
        }
        // The retry stage does not see failures that its policy ignores.
        if isFailure, let last = attempts.last, last.retry == nil, last.isFailure {
            retries.append(Retry(attempt: last.number, decision: RetryDecision(no: .policy)))
        }
        guard cache != nil || waited > .zero || !retries.isEmpty else { return nil }
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
        let wait = waitForConnectivity.map { "waited \($0) for a network" }
        return ([cache?.description, wait].compactMap(\.self) + retries.map(\.description)).joined(separator: "\n")
    }
}

extension Attempt {
    /// A Boolean value that indicates whether the server or the network has failed the attempt.
    fileprivate var isFailure: Bool {
        error is RequestError || response.map { $0.status.code >= 400 } ?? false
    }
}

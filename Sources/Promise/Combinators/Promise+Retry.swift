extension Promise {
    /// Tries up to so many times: `make` is called with the number of the attempt, from 1, until a promise is fulfilled.
    ///
    /// ```swift
    /// let user = Promise.retry(3, backoff: .exponential()) { attempt in loadUser(1) }
    /// ```
    ///
    /// It takes a maker because promises are eager: one that has failed stays so. The first attempt starts at once. The
    /// error of the last attempt rejects the returned promise. Cancelling the returned promise cancels the attempt, or the
    /// wait, that is in progress.
    ///
    /// Name with `if:` the errors that another attempt may cure, so that the others are reported at once:
    ///
    /// ```swift
    /// let user = Promise.retry(3, backoff: .exponential(), if: { $0 is TimeoutError }) { attempt in loadUser(1) }
    /// ```
    ///
    /// - Parameters:
    ///   - attempts: The number of attempts, the first included. Less than 1 counts as 1.
    ///   - backoff: The wait before each further attempt.
    ///   - clock: The clock that measures the wait.
    ///   - shouldRetry: Returns whether another attempt may help after an error; by default after every error. It is called
    ///     on the scheduler of the attempt. It is not called for a cancellation, after which there is no further attempt.
    ///   - make: Starts an attempt. An error that it throws counts as the attempt's.
    @discardableResult
    public static func retry(
        _ attempts: Int, backoff: Backoff = .none, clock: any Clock<Duration> = ContinuousClock(),
        if shouldRetry: @escaping @Sendable (any Error) -> Bool = { _ in true },
        _ make: @escaping @Sendable (_ attempt: Int) throws -> Promise
    ) -> Promise {
        Attempts(count: attempts, backoff: backoff, clock: clock, shouldRetry: shouldRetry, make: make).begin(1)
    }
}

/// The attempts of one `retry`.
private struct Attempts<Value: Sendable>: Sendable {
    let count: Int
    let backoff: Backoff
    let clock: any Clock<Duration>
    let shouldRetry: @Sendable (any Error) -> Bool
    let make: @Sendable (_ attempt: Int) throws -> Promise<Value>

    func begin(_ attempt: Int) -> Promise<Value> {
        let promise: Promise<Value>
        do {
            promise = try make(attempt)
        } catch {
            promise = .rejected(error)
        }
        guard attempt < count else {
            // The only attempt is not handed out itself: cancelling what is returned must only leave it.
            return attempt > 1 ? promise : Promise(on: promise.scheduler) { $0.follow(promise) }
        }
        return promise.recover { error in
            guard shouldRetry(error) else { throw error }
            let delay = backoff.delay(attempt)
            if delay <= .zero { return begin(attempt + 1) }
            return Promise<Void>.fulfilled((), on: promise.scheduler).delay(delay, clock: clock)
                .flatMap { begin(attempt + 1) }
        }
    }
}

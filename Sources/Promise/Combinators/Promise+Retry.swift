extension Promise {
    /// Calls `make` until it returns a promise that is fulfilled, at most `attempts` times.
    ///
    /// ```swift
    /// let user = Promise.retry(3, backoff: .exponential()) { attempt in loadUser(1) }
    /// ```
    ///
    /// A failed promise stays failed, so this function takes a closure that creates a new promise for each attempt. The
    /// closure receives the number of the attempt, which starts at 1. The first attempt starts at once.
    ///
    /// The error of the last attempt rejects the returned promise. Cancelling the returned promise cancels the attempt
    /// in flight, or the wait between two attempts.
    ///
    /// Use `if:` to select the errors that another attempt may cure. All other errors reject the returned promise at
    /// once:
    ///
    /// ```swift
    /// let user = Promise.retry(3, backoff: .exponential(), if: { $0 is TimeoutError }) { attempt in loadUser(1) }
    /// ```
    ///
    /// - Parameters:
    ///   - attempts: The number of attempts, including the first. A number below 1 rejects the result with
    ///     ``PromiseError/invalidCount``, and no attempt is made.
    ///   - backoff: The wait before each further attempt.
    ///   - clock: The clock that measures the wait.
    ///   - shouldRetry: Returns whether another attempt may succeed after this error; by default, always true. It is
    ///     called on the scheduler of the attempt. A cancellation ends the retries without a call.
    ///   - make: Starts an attempt. An error that it throws counts as the error of the attempt.
    @discardableResult
    public static func retry(
        _ attempts: Int, backoff: Backoff = .none, clock: any Clock<Duration> = ContinuousClock(),
        if shouldRetry: @escaping @Sendable (any Error) -> Bool = { _ in true },
        _ make: @escaping @Sendable (_ attempt: Int) throws -> Promise
    ) -> Promise {
        guard attempts > 0 else { return .rejected(PromiseError.invalidCount) }
        return Attempts(count: attempts, backoff: backoff, clock: clock, shouldRetry: shouldRetry, make: make).begin(1)
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
            // The only attempt is not returned itself, so that cancelling the result leaves the attempt and does not
            // cancel it.
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

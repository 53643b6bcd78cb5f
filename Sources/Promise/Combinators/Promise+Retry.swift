extension Promise {
    /// Tries up to so many times: `make` is called with the number of the attempt, from 1, until a promise is fulfilled.
    ///
    /// ```swift
    /// let user = Promise.retry(3, backoff: .exponential()) { attempt in loadUser(1) }
    /// ```
    ///
    /// It takes a maker because promises are eager: one that has failed stays so. The first attempt starts at once. The
    /// last error rejects the promise that is returned; a cancelled attempt ends the matter. Cancelling the promise that
    /// is returned cancels the attempt, or the wait, that is under way.
    @discardableResult
    public static func retry(
        _ attempts: Int, backoff: Backoff = .none, clock: any Clock<Duration> = ContinuousClock(),
        _ make: @escaping @Sendable (_ attempt: Int) throws -> Promise
    ) -> Promise {
        retry(1, of: attempts, backoff, clock, make)
    }

    private static func retry(
        _ attempt: Int, of attempts: Int, _ backoff: Backoff, _ clock: any Clock<Duration>,
        _ make: @escaping @Sendable (_ attempt: Int) throws -> Promise
    ) -> Promise {
        let promise: Promise
        do {
            promise = try make(attempt)
        } catch {
            promise = .rejected(error)
        }
        guard attempt < attempts else {
            // The only attempt is not handed out itself: cancelling what is returned must only leave it.
            return attempt > 1 ? promise : Promise(on: promise.scheduler) { $0.follow(promise) }
        }
        return promise.recover { _ in
            let delay = backoff.delay(attempt)
            if delay <= .zero { return retry(attempt + 1, of: attempts, backoff, clock, make) }
            return Promise<Void>.fulfilled((), on: promise.scheduler).delay(delay, clock: clock).next {
                retry(attempt + 1, of: attempts, backoff, clock, make)
            }
        }
    }
}

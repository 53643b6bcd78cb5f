import TangoPromise

extension Request {
    /// Begins a run that calls back. After ``AnyCall/cancel()`` neither function is called any more.
    ///
    /// They run where ``callbackScheduler`` says. The call keeps them as long as it is held, for ``Call/retry()``: in an object
    /// that holds the call, capture it weakly.
    @discardableResult
    public nonisolated final func start(
        lifetime: CallLifetime = .managed,
        success: @escaping @Sendable (Output, Call<Output>) -> Void,
        failure: @escaping @Sendable (any Error, Call<Output>) -> Void = { _, _ in }
    ) -> Call<Output> {
        start(lifetime: lifetime).then(success: success, failure: failure)
    }

    /// Begins a run that calls back on a scheduler.
    @discardableResult
    public nonisolated final func start(
        on scheduler: Scheduler, lifetime: CallLifetime = .managed,
        success: @escaping @Sendable (Output, Call<Output>) -> Void,
        failure: @escaping @Sendable (any Error, Call<Output>) -> Void = { _, _ in }
    ) -> Call<Output> {
        start(lifetime: lifetime).then(on: scheduler, success: success, failure: failure)
    }

    /// Begins a run that calls back on the main actor.
    @discardableResult
    public nonisolated final func start(
        on scheduler: MainScheduler, lifetime: CallLifetime = .managed,
        success: @escaping @MainActor (Output, Call<Output>) -> Void,
        failure: @escaping @MainActor (any Error, Call<Output>) -> Void = { _, _ in }
    ) -> Call<Output> {
        start(lifetime: lifetime).then(on: scheduler, success: success, failure: failure)
    }
}

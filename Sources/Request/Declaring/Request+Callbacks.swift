// Both closures may take the call, or leave it out. The forms differ in the number of parameters, so the compiler knows
// at once which one a closure is for.
extension Request {
    /// Starts a call that calls back on a scheduler. If `scheduler` is nil, the ``callbackScheduler`` is used.
    ///
    /// ```swift
    /// GetUser(id: 1).start { user in
    ///     show(user.name)
    /// } failure: { error in
    ///     show("\(error)")
    /// }
    /// ```
    ///
    /// After ``AnyCall/cancel()``, neither closure is called. The call retains both as long as it is retained itself,
    /// for ``Call/retry()``. If an object retains the call, capture the object weakly.
    @discardableResult
    public nonisolated final func start(
        on scheduler: Scheduler? = nil, lifetime: CallLifetime = .managed,
        success: @escaping @Sendable (Output) -> Void,
        failure: @escaping @Sendable (any Error) -> Void = { _ in }
    ) -> Call<Output> {
        start(
            on: scheduler, lifetime: lifetime, success: { output, _ in success(output) },
            failure: { error, _ in failure(error) })
    }

    /// Starts a call that passes itself to both closures.
    @discardableResult
    public nonisolated final func start(
        on scheduler: Scheduler? = nil, lifetime: CallLifetime = .managed,
        success: @escaping @Sendable (Output, Call<Output>) -> Void,
        failure: @escaping @Sendable (any Error, Call<Output>) -> Void = { _, _ in }
    ) -> Call<Output> {
        let call = start(lifetime: lifetime)
        return call.then(on: scheduler ?? call.outcome.scheduler, success: success, failure: failure)
    }

    /// Starts a call that passes itself to `failure`.
    @discardableResult
    public nonisolated final func start(
        on scheduler: Scheduler? = nil, lifetime: CallLifetime = .managed,
        success: @escaping @Sendable (Output) -> Void,
        failure: @escaping @Sendable (any Error, Call<Output>) -> Void
    ) -> Call<Output> {
        start(on: scheduler, lifetime: lifetime, success: { output, _ in success(output) }, failure: failure)
    }

    /// Starts a call that passes itself to `success`.
    @discardableResult
    public nonisolated final func start(
        on scheduler: Scheduler? = nil, lifetime: CallLifetime = .managed,
        success: @escaping @Sendable (Output, Call<Output>) -> Void,
        failure: @escaping @Sendable (any Error) -> Void
    ) -> Call<Output> {
        start(on: scheduler, lifetime: lifetime, success: success, failure: { error, _ in failure(error) })
    }

    // MARK: On the main actor

    /// Starts a call that calls back on the main actor.
    @discardableResult
    public nonisolated final func start(
        on scheduler: MainScheduler, lifetime: CallLifetime = .managed,
        success: @escaping @MainActor (Output) -> Void,
        failure: @escaping @MainActor (any Error) -> Void = { _ in }
    ) -> Call<Output> {
        start(
            on: scheduler, lifetime: lifetime, success: { output, _ in success(output) },
            failure: { error, _ in failure(error) })
    }

    /// Starts a call that calls back on the main actor, and passes itself to both closures.
    @discardableResult
    public nonisolated final func start(
        on scheduler: MainScheduler, lifetime: CallLifetime = .managed,
        success: @escaping @MainActor (Output, Call<Output>) -> Void,
        failure: @escaping @MainActor (any Error, Call<Output>) -> Void = { _, _ in }
    ) -> Call<Output> {
        start(lifetime: lifetime).then(on: scheduler, success: success, failure: failure)
    }

    /// Starts a call that calls back on the main actor, and passes itself to `failure`.
    @discardableResult
    public nonisolated final func start(
        on scheduler: MainScheduler, lifetime: CallLifetime = .managed,
        success: @escaping @MainActor (Output) -> Void,
        failure: @escaping @MainActor (any Error, Call<Output>) -> Void
    ) -> Call<Output> {
        start(on: scheduler, lifetime: lifetime, success: { output, _ in success(output) }, failure: failure)
    }

    /// Starts a call that calls back on the main actor, and passes itself to `success`.
    @discardableResult
    public nonisolated final func start(
        on scheduler: MainScheduler, lifetime: CallLifetime = .managed,
        success: @escaping @MainActor (Output, Call<Output>) -> Void,
        failure: @escaping @MainActor (any Error) -> Void
    ) -> Call<Output> {
        start(on: scheduler, lifetime: lifetime, success: success, failure: { error, _ in failure(error) })
    }
}

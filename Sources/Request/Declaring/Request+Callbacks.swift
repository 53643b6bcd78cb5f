import TangoPromise

// Both functions may take the call as well, or leave it out. The forms differ in the number of parameters, so the compiler
// knows at once which one a closure is for.
extension Request {
    /// Begins a run that calls back, on a scheduler or where ``callbackScheduler`` says.
    ///
    /// ```swift
    /// GetUser(id: 1).start { user in
    ///     show(user.name)
    /// } failure: { error in
    ///     show("\(error)")
    /// }
    /// ```
    ///
    /// After ``AnyCall/cancel()`` neither function is called. The call keeps both as long as it is held, for
    /// ``Call/retry()``: in an object that holds the call, capture it weakly.
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

    /// Begins a run that calls back with the call as well.
    @discardableResult
    public nonisolated final func start(
        on scheduler: Scheduler? = nil, lifetime: CallLifetime = .managed,
        success: @escaping @Sendable (Output, Call<Output>) -> Void,
        failure: @escaping @Sendable (any Error, Call<Output>) -> Void = { _, _ in }
    ) -> Call<Output> {
        let call = start(lifetime: lifetime)
        return call.then(on: scheduler ?? call.outcome.scheduler, success: success, failure: failure)
    }

    /// Begins a run that calls back, with the call where there is an error.
    @discardableResult
    public nonisolated final func start(
        on scheduler: Scheduler? = nil, lifetime: CallLifetime = .managed,
        success: @escaping @Sendable (Output) -> Void,
        failure: @escaping @Sendable (any Error, Call<Output>) -> Void
    ) -> Call<Output> {
        start(on: scheduler, lifetime: lifetime, success: { output, _ in success(output) }, failure: failure)
    }

    /// Begins a run that calls back, with the call where there is an output.
    @discardableResult
    public nonisolated final func start(
        on scheduler: Scheduler? = nil, lifetime: CallLifetime = .managed,
        success: @escaping @Sendable (Output, Call<Output>) -> Void,
        failure: @escaping @Sendable (any Error) -> Void
    ) -> Call<Output> {
        start(on: scheduler, lifetime: lifetime, success: success, failure: { error, _ in failure(error) })
    }

    // MARK: On the main actor

    /// Begins a run that calls back on the main actor.
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

    /// Begins a run that calls back on the main actor with the call as well.
    @discardableResult
    public nonisolated final func start(
        on scheduler: MainScheduler, lifetime: CallLifetime = .managed,
        success: @escaping @MainActor (Output, Call<Output>) -> Void,
        failure: @escaping @MainActor (any Error, Call<Output>) -> Void = { _, _ in }
    ) -> Call<Output> {
        start(lifetime: lifetime).then(on: scheduler, success: success, failure: failure)
    }

    /// Begins a run that calls back on the main actor, with the call where there is an error.
    @discardableResult
    public nonisolated final func start(
        on scheduler: MainScheduler, lifetime: CallLifetime = .managed,
        success: @escaping @MainActor (Output) -> Void,
        failure: @escaping @MainActor (any Error, Call<Output>) -> Void
    ) -> Call<Output> {
        start(on: scheduler, lifetime: lifetime, success: { output, _ in success(output) }, failure: failure)
    }

    /// Begins a run that calls back on the main actor, with the call where there is an output.
    @discardableResult
    public nonisolated final func start(
        on scheduler: MainScheduler, lifetime: CallLifetime = .managed,
        success: @escaping @MainActor (Output, Call<Output>) -> Void,
        failure: @escaping @MainActor (any Error) -> Void
    ) -> Call<Output> {
        start(on: scheduler, lifetime: lifetime, success: success, failure: { error, _ in failure(error) })
    }
}

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
    /// After ``AnyCall/cancel()``, neither closure is called. Both are released when the call has succeeded or was cancelled. After
    /// a failure, the call retains them for ``Call/retry()``: if an object retains the call, capture the object weakly, or call
    /// ``start(for:on:success:failure:)-(_,MainScheduler,_,_)``.
    ///
    /// A failure without a closure is reported when the call is released, as that of a promise: see `PromiseEvents`.
    @discardableResult
    public nonisolated final func start(
        on scheduler: Scheduler? = nil, lifetime: CallLifetime = .managed,
        success: @escaping @Sendable (Output) -> Void,
        failure: (@Sendable (any Error) -> Void)? = nil
    ) -> Call<Output> {
        start(
            on: scheduler, lifetime: lifetime, success: { output, _ in success(output) },
            failure: failure.map { failure in { @Sendable error, _ in failure(error) } })
    }

    /// Starts a call that passes itself to both closures.
    @discardableResult
    public nonisolated final func start(
        on scheduler: Scheduler? = nil, lifetime: CallLifetime = .managed,
        success: @escaping @Sendable (Output, Call<Output>) -> Void,
        failure: (@Sendable (any Error, Call<Output>) -> Void)? = nil
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
        failure: (@MainActor (any Error) -> Void)? = nil
    ) -> Call<Output> {
        start(
            on: scheduler, lifetime: lifetime, success: { output, _ in success(output) },
            failure: failure.map { failure in { @MainActor error, _ in failure(error) } })
    }

    /// Starts a call that calls back on the main actor, and passes itself to both closures.
    @discardableResult
    public nonisolated final func start(
        on scheduler: MainScheduler, lifetime: CallLifetime = .managed,
        success: @escaping @MainActor (Output, Call<Output>) -> Void,
        failure: (@MainActor (any Error, Call<Output>) -> Void)? = nil
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

    // MARK: For an object

    /// Starts a call for an object on the main actor, such as a screen or its model.
    ///
    /// ```swift
    /// GetUser(id: 1).start(for: self, on: .main) { screen, user in
    ///     screen.name = user.name
    /// } failure: { screen, error in
    ///     screen.show(error)
    /// }
    /// ```
    ///
    /// The object is not retained. When it is gone, neither closure is called, and the call is cancelled: at once if the object has
    /// stored it, and otherwise within a second. After ``AnyCall/detach()``, the call goes on without it. Callbacks that are added to
    /// the call run only as long as something holds the call.
    @discardableResult
    public nonisolated final func start<Owner: AnyObject & Sendable>(
        for owner: Owner, on scheduler: MainScheduler,
        success: @escaping @MainActor (Owner, Output) -> Void,
        failure: (@MainActor (Owner, any Error) -> Void)? = nil
    ) -> Call<Output> {
        let callback = Outcome<Output>.Callback(seesErrors: failure != nil) { [weak owner] line, handle, round in
            line.next(on: scheduler) { [weak owner] _ -> Void in
                guard let owner, let result = handle.result(of: round) else { return }
                switch result {
                case .success(let output): success(owner, output)
                case .failure(let error): failure?(owner, error)
                }
            }
        }
        return .start(
            Plan(self), lifetime: .unmanaged, owner: CallOwner(object: owner, isOnMain: true), callbacks: [callback])
    }

    /// Starts a call for an object that can be used from any thread. If `scheduler` is nil, the ``callbackScheduler`` is used.
    ///
    /// The object is not retained. When it is gone, neither closure is called, and the call is cancelled.
    @discardableResult
    public nonisolated final func start<Owner: AnyObject & Sendable>(
        for owner: Owner, on scheduler: Scheduler? = nil,
        success: @escaping @Sendable (Owner, Output) -> Void,
        failure: (@Sendable (Owner, any Error) -> Void)? = nil
    ) -> Call<Output> {
        let plan = Plan(self)
        let scheduler = scheduler ?? plan.callbackScheduler
        let callback = Outcome<Output>.Callback(seesErrors: failure != nil) { [weak owner] line, handle, round in
            line.next(on: scheduler) { [weak owner] _ -> Void in
                guard let owner, let result = handle.result(of: round) else { return }
                switch result {
                case .success(let output): success(owner, output)
                case .failure(let error): failure?(owner, error)
                }
            }
        }
        return .start(
            plan, lifetime: .unmanaged, owner: CallOwner(object: owner, isOnMain: false), callbacks: [callback])
    }
}

// Of the three forms, a promise with a value is preferred where several fit: the plain one would take a promise for a value,
// and a second handler that only throws would be ambiguous.
extension Promise {
    /// Continues with either outcome: `body` with the value, or `recover` with the error, which is thereby dealt with.
    ///
    /// ```swift
    /// let name = loadUser(1).then({ user in user.name }, { _ in "anonymous" })
    /// ```
    ///
    /// What `body` throws does not reach `recover`. A cancellation reaches neither.
    @_disfavoredOverload
    @inlinable
    @discardableResult
    public func then<Output>(
        _ body: @escaping @Sendable (Value) throws -> Output,
        _ recover: @escaping @Sendable (any Error) throws -> Output
    ) -> Promise<Output> {
        then(on: scheduler, body, recover)
    }

    /// Continues with either outcome, and follows the promise that `body` or `recover` returns.
    @_disfavoredOverload
    @inlinable
    @discardableResult
    public func then<Output>(
        _ body: @escaping @Sendable (Value) throws -> Promise<Output>,
        _ recover: @escaping @Sendable (any Error) throws -> Promise<Output>
    ) -> Promise<Output> {
        then(on: scheduler, body, recover)
    }

    /// Continues with either outcome: follows the promise that `body` returns, or takes the value that `recover` does.
    @inlinable
    @discardableResult
    public func then<Output>(
        _ body: @escaping @Sendable (Value) throws -> Promise<Output>,
        _ recover: @escaping @Sendable (any Error) throws -> Output
    ) -> Promise<Output> {
        then(on: scheduler, body, recover)
    }

    // MARK: On a scheduler

    /// Continues with either outcome on a scheduler, which later links inherit.
    @_disfavoredOverload
    @inlinable
    @discardableResult
    public func then<Output>(
        on scheduler: Scheduler,
        _ body: @escaping @Sendable (Value) throws -> Output,
        _ recover: @escaping @Sendable (any Error) throws -> Output
    ) -> Promise<Output> {
        link(on: scheduler, [.values, .errors]) { link, source in
            link.fulfill(source.isFulfilled ? try body(source.loadSlot()) : try recover(source.error))
        }
    }

    /// Continues with either outcome on a scheduler, and follows the promise that `body` or `recover` returns.
    @_disfavoredOverload
    @inlinable
    @discardableResult
    public func then<Output>(
        on scheduler: Scheduler,
        _ body: @escaping @Sendable (Value) throws -> Promise<Output>,
        _ recover: @escaping @Sendable (any Error) throws -> Promise<Output>
    ) -> Promise<Output> {
        link(on: scheduler, [.values, .errors]) { link, source in
            link.follow(source.isFulfilled ? try body(source.loadSlot()) : try recover(source.error))
        }
    }

    /// Continues with either outcome on a scheduler: the promise that `body` returns, or the value that `recover` does.
    @inlinable
    @discardableResult
    public func then<Output>(
        on scheduler: Scheduler,
        _ body: @escaping @Sendable (Value) throws -> Promise<Output>,
        _ recover: @escaping @Sendable (any Error) throws -> Output
    ) -> Promise<Output> {
        link(on: scheduler, [.values, .errors]) { link, source in
            if source.isFulfilled {
                link.follow(try body(source.loadSlot()))
            } else {
                link.fulfill(try recover(source.error))
            }
        }
    }

    // MARK: On the main actor

    /// Continues with either outcome on the main actor.
    @_disfavoredOverload
    @inlinable
    @discardableResult
    public func then<Output>(
        on main: MainScheduler,
        _ body: @escaping @MainActor @Sendable (Value) throws -> Output,
        _ recover: @escaping @MainActor @Sendable (any Error) throws -> Output
    ) -> Promise<Output> {
        then(
            on: main.scheduler,
            { value in try MainActor.assumeIsolated { try body(value) } },
            { error in try MainActor.assumeIsolated { try recover(error) } })
    }

    /// Continues with either outcome on the main actor, and follows the promise that `body` or `recover` returns.
    @_disfavoredOverload
    @inlinable
    @discardableResult
    public func then<Output>(
        on main: MainScheduler,
        _ body: @escaping @MainActor @Sendable (Value) throws -> Promise<Output>,
        _ recover: @escaping @MainActor @Sendable (any Error) throws -> Promise<Output>
    ) -> Promise<Output> {
        then(
            on: main.scheduler,
            { value in try MainActor.assumeIsolated { try body(value) } },
            { error in try MainActor.assumeIsolated { try recover(error) } })
    }

    /// Continues with either outcome on the main actor: with the promise that `body` returns, or the value that `recover`
    /// does.
    @inlinable
    @discardableResult
    public func then<Output>(
        on main: MainScheduler,
        _ body: @escaping @MainActor @Sendable (Value) throws -> Promise<Output>,
        _ recover: @escaping @MainActor @Sendable (any Error) throws -> Output
    ) -> Promise<Output> {
        then(
            on: main.scheduler,
            { value in try MainActor.assumeIsolated { try body(value) } },
            { error in try MainActor.assumeIsolated { try recover(error) } })
    }

    // MARK: In a task

    /// Continues with either outcome in a task of its own, which is cancelled with the promise that is returned.
    @inlinable
    @discardableResult
    public func then<Output>(
        on task: TaskScheduler,
        _ body: @escaping @Sendable (Value) async throws -> Output,
        _ recover: @escaping @Sendable (any Error) async throws -> Output
    ) -> Promise<Output> {
        link([.values, .errors, .inline]) { link, source in
            link.runTask(
                { source.isFulfilled ? try await body(source.loadSlot()) : try await recover(source.error) },
                then: { $0.fulfillOpen($1) })
        }
    }
}

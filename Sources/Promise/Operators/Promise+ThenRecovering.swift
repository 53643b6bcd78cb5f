// The order of preference among the forms of `then` with two closures. It decides which code compiles, and how fast:
//
// 1. Values that can be compared. If this form fits, the compiler ignores the others. Without it, the compiler would
//    also try each computing closure as one that returns a promise, and all operators of the chain with it.
// 2. A promise and a value. It comes before 3 because a second closure that only throws fits all forms. The form with
//    fewer parameters wins, so only the other forms have a parameter with a default.
// 3. Values of any type, or two promises. The compiler prefers two promises, the more specialised form.
//
// Promises cannot be compared, so the first form never accepts a promise as a value.
extension Promise {
    /// Continues with either outcome: `body` receives the value, or `recover` receives the error, which is then
    /// handled.
    ///
    /// ```swift
    /// let name = loadUser(1).then({ user in user.name }, { _ in "anonymous" })
    /// ```
    ///
    /// An error that `body` throws does not reach `recover`. A cancellation reaches neither.
    @inlinable
    @discardableResult
    public func then<Output: Equatable>(
        _ body: @escaping @Sendable (Value) throws -> Output,
        _ recover: @escaping @Sendable (any Error) throws -> Output
    ) -> Promise<Output> {
        then(on: scheduler, body, recover)
    }

    /// Continues with either outcome, and follows the promise that `body` returns, or takes the value of `recover`.
    @_disfavoredOverload
    @inlinable
    @discardableResult
    public func then<Output>(
        _ body: @escaping @Sendable (Value) throws -> Promise<Output>,
        _ recover: @escaping @Sendable (any Error) throws -> Output
    ) -> Promise<Output> {
        then(on: scheduler, body, recover)
    }

    /// Continues with either outcome, on a scheduler that later links inherit. By default, that is the current
    /// scheduler.
    @_disfavoredOverload
    @inlinable
    @discardableResult
    public func then<Output>(
        on scheduler: Scheduler? = nil,
        _ body: @escaping @Sendable (Value) throws -> Output,
        _ recover: @escaping @Sendable (any Error) throws -> Output
    ) -> Promise<Output> {
        link(on: scheduler, [.values, .errors]) { link, source in
            link.fulfill(source.isFulfilled ? try body(source.loadSlot()) : try recover(source.error))
        }
    }

    /// Continues with either outcome and follows the promise that `body` or `recover` returns. Later links inherit the
    /// scheduler, which by default is the current one.
    @_disfavoredOverload
    @inlinable
    @discardableResult
    public func then<Output>(
        on scheduler: Scheduler? = nil,
        _ body: @escaping @Sendable (Value) throws -> Promise<Output>,
        _ recover: @escaping @Sendable (any Error) throws -> Promise<Output>
    ) -> Promise<Output> {
        link(on: scheduler, [.values, .errors]) { link, source in
            link.follow(source.isFulfilled ? try body(source.loadSlot()) : try recover(source.error))
        }
    }

    /// Continues with either outcome on a scheduler: follows the promise that `body` returns, or takes the value of
    /// `recover`.
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

    /// Continues with either outcome on the main actor: follows the promise that `body` returns, or takes the value of
    /// `recover`.
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

    /// Continues with either outcome in a task of its own. Cancelling the returned promise cancels the task.
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

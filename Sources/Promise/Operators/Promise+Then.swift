extension Promise {
    /// Continues with the value. `then` is another name for `next`, familiar from JavaScript.
    @inlinable
    @discardableResult
    public func then<Output>(_ body: @escaping @Sendable (Value) throws -> Output) -> Promise<Output> {
        map(body)
    }

    /// Continues with the value, and follows the promise that `body` returns.
    @inlinable
    @discardableResult
    public func then<Output>(_ body: @escaping @Sendable (Value) throws -> Promise<Output>) -> Promise<Output> {
        flatMap(body)
    }

    /// Continues with the value on a scheduler, which later links inherit.
    @inlinable
    @discardableResult
    public func then<Output>(
        on scheduler: Scheduler, _ body: @escaping @Sendable (Value) throws -> Output
    ) -> Promise<Output> {
        map(on: scheduler, body)
    }

    /// Continues with the value on a scheduler, and follows the promise that `body` returns.
    @inlinable
    @discardableResult
    public func then<Output>(
        on scheduler: Scheduler, _ body: @escaping @Sendable (Value) throws -> Promise<Output>
    ) -> Promise<Output> {
        flatMap(on: scheduler, body)
    }

    /// Continues with the value on the main actor.
    @inlinable
    @discardableResult
    public func then<Output>(
        on main: MainScheduler, _ body: @escaping @MainActor @Sendable (Value) throws -> Output
    ) -> Promise<Output> {
        map(on: main, body)
    }

    /// Continues with the value on the main actor, and follows the promise that `body` returns.
    @inlinable
    @discardableResult
    public func then<Output>(
        on main: MainScheduler, _ body: @escaping @MainActor @Sendable (Value) throws -> Promise<Output>
    ) -> Promise<Output> {
        flatMap(on: main, body)
    }

    /// Continues with the value in a task of its own. Cancelling the returned promise cancels the task.
    @inlinable
    @discardableResult
    public func then<Output>(
        on task: TaskScheduler, _ body: @escaping @Sendable (Value) async throws -> Output
    ) -> Promise<Output> {
        map(on: task, body)
    }

    /// Continues with the value in a task of its own, and follows the promise that `body` returns.
    @inlinable
    @discardableResult
    public func then<Output>(
        on task: TaskScheduler, _ body: @escaping @Sendable (Value) async throws -> Promise<Output>
    ) -> Promise<Output> {
        flatMap(on: task, body)
    }
}

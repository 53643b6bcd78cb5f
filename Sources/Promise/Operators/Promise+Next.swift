extension Promise {
    /// Continues with the value: `body` turns it into the value of the returned promise.
    ///
    /// An error skips `body` and passes to the next error handler. If `body` throws, its error rejects the returned
    /// promise.
    ///
    /// ```swift
    /// let length = Promise("word").next { $0.count }
    /// ```
    ///
    /// Use `on:` to run `body` elsewhere: `.next(on: .background)` or any other ``Scheduler``, `.next(on: .main)` for
    /// the main actor, `.next(on: .task)` for `async` work.
    ///
    /// If several closures in a row compute, use ``map(_:)``, which compiles faster.
    @inlinable
    @discardableResult
    public func next<Output>(_ body: @escaping @Sendable (Value) throws -> Output) -> Promise<Output> {
        map(body)
    }

    /// Continues with a promise: the returned promise settles with the outcome of the one that `body` returns.
    @inlinable
    @discardableResult
    public func next<Output>(_ body: @escaping @Sendable (Value) throws -> Promise<Output>) -> Promise<Output> {
        flatMap(body)
    }

    /// Continues with the value on a scheduler, which later links inherit.
    @inlinable
    @discardableResult
    public func next<Output>(
        on scheduler: Scheduler, _ body: @escaping @Sendable (Value) throws -> Output
    ) -> Promise<Output> {
        map(on: scheduler, body)
    }

    /// Continues with a promise that `body` creates on a scheduler, which later links inherit.
    @inlinable
    @discardableResult
    public func next<Output>(
        on scheduler: Scheduler, _ body: @escaping @Sendable (Value) throws -> Promise<Output>
    ) -> Promise<Output> {
        flatMap(on: scheduler, body)
    }

    /// Continues with the value on the main actor.
    @inlinable
    @discardableResult
    public func next<Output>(
        on main: MainScheduler, _ body: @escaping @MainActor @Sendable (Value) throws -> Output
    ) -> Promise<Output> {
        map(on: main, body)
    }

    /// Continues with a promise that `body` creates on the main actor.
    @inlinable
    @discardableResult
    public func next<Output>(
        on main: MainScheduler, _ body: @escaping @MainActor @Sendable (Value) throws -> Promise<Output>
    ) -> Promise<Output> {
        flatMap(on: main, body)
    }

    /// Continues with the value in a task of its own. Cancelling the returned promise cancels the task.
    @inlinable
    @discardableResult
    public func next<Output>(
        on task: TaskScheduler, _ body: @escaping @Sendable (Value) async throws -> Output
    ) -> Promise<Output> {
        map(on: task, body)
    }

    /// Continues with a promise that `body` creates in a task of its own. Cancelling the returned promise cancels the
    /// task.
    @inlinable
    @discardableResult
    public func next<Output>(
        on task: TaskScheduler, _ body: @escaping @Sendable (Value) async throws -> Promise<Output>
    ) -> Promise<Output> {
        flatMap(on: task, body)
    }
}

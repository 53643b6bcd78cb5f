extension Promise {
    /// Calls `body` with the value and passes the value on.
    ///
    /// ```swift
    /// let user = loadUser(1).tap { print("loaded \($0.name)") }
    /// ```
    ///
    /// An error that `body` throws rejects the returned promise.
    @inlinable
    @discardableResult
    public func tap(_ body: @escaping @Sendable (Value) throws -> Void) -> Promise {
        tap(on: scheduler, body)
    }

    /// Calls `body` with the value on a scheduler, which later links inherit, and passes the value on.
    @inlinable
    @discardableResult
    public func tap(on scheduler: Scheduler, _ body: @escaping @Sendable (Value) throws -> Void) -> Promise {
        link(on: scheduler, .values) { link, source in
            try body(source.loadSlot())
            link.takeOver(source)
        }
    }

    /// Calls `body` with the value on the main actor and passes the value on.
    @inlinable
    @discardableResult
    public func tap(on main: MainScheduler, _ body: @escaping @MainActor @Sendable (Value) throws -> Void) -> Promise {
        tap(on: main.scheduler) { value in try MainActor.assumeIsolated { try body(value) } }
    }

    /// Calls `body` with the value in a task. The returned promise settles when the task ends.
    @inlinable
    @discardableResult
    public func tap(on task: TaskScheduler, _ body: @escaping @Sendable (Value) async throws -> Void) -> Promise {
        link([.values, .inline]) { link, source in
            link.runTask({ try await body(source.loadSlot()) }, then: { link, _ in link.takeOverOpen(source) })
        }
    }
}

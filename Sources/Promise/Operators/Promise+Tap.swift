extension Promise {
    /// Looks at the value and passes it on.
    ///
    /// ```swift
    /// let user = loadUser(1).tap { print("loaded \($0.name)") }
    /// ```
    ///
    /// An error that `body` throws rejects the promise that is returned.
    @inlinable
    @discardableResult
    public func tap(_ body: @escaping @Sendable (Value) throws -> Void) -> Promise {
        tap(on: scheduler, body)
    }

    /// Looks at the value on a scheduler, which later links inherit, and passes it on.
    @inlinable
    @discardableResult
    public func tap(on scheduler: Scheduler, _ body: @escaping @Sendable (Value) throws -> Void) -> Promise {
        link(on: scheduler, .values) { link, source in
            try body(source.loadSlot())
            link.takeOver(source)
        }
    }

    /// Looks at the value on the main actor and passes it on.
    @inlinable
    @discardableResult
    public func tap(on main: MainScheduler, _ body: @escaping @MainActor @Sendable (Value) throws -> Void) -> Promise {
        tap(on: main.scheduler) { value in try MainActor.assumeIsolated { try body(value) } }
    }

    /// Looks at the value in a task; the promise that is returned settles after it.
    @inlinable
    @discardableResult
    public func tap(on task: TaskScheduler, _ body: @escaping @Sendable (Value) async throws -> Void) -> Promise {
        link([.values, .inline]) { link, source in
            link.runTask({ try await body(source.loadSlot()) }, then: { link, _ in link.takeOverOpen(source) })
        }
    }
}

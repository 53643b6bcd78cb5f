extension Promise {
    /// Computes a new value: the returned promise is fulfilled with the result of `body`.
    ///
    /// An error skips `body`. If `body` throws, its error rejects the returned promise.
    ///
    /// ```swift
    /// let words = Promise("three words here").map { $0.split(separator: " ") }.map { $0.count + 1 }
    /// ```
    ///
    /// `next` does the same, and also accepts a closure that returns a promise. The compiler tries both overloads for
    /// every `next` in a chain. `map` has one, so chains of closures that compute compile quickly.
    @inlinable
    @discardableResult
    public func map<Output>(_ body: @escaping @Sendable (Value) throws -> Output) -> Promise<Output> {
        link(.values) { link, source in link.fulfill(try body(source.loadSlot())) }
    }

    /// Computes a new value on a scheduler, which later links inherit.
    @inlinable
    @discardableResult
    public func map<Output>(
        on scheduler: Scheduler, _ body: @escaping @Sendable (Value) throws -> Output
    ) -> Promise<Output> {
        link(on: scheduler, .values) { link, source in link.fulfill(try body(source.loadSlot())) }
    }

    /// Computes a new value on the main actor.
    @inlinable
    @discardableResult
    public func map<Output>(
        on main: MainScheduler, _ body: @escaping @MainActor @Sendable (Value) throws -> Output
    ) -> Promise<Output> {
        link(on: main.scheduler, .values) { link, source in
            try MainActor.assumeIsolated { link.fulfill(try body(source.loadSlot())) }
        }
    }

    /// Computes a new value in a task of its own. Cancelling the returned promise cancels the task.
    @inlinable
    @discardableResult
    public func map<Output>(
        on task: TaskScheduler, _ body: @escaping @Sendable (Value) async throws -> Output
    ) -> Promise<Output> {
        link([.values, .inline]) { link, source in
            link.runTask({ try await body(source.loadSlot()) }, then: { $0.fulfillOpen($1) })
        }
    }
}

extension Promise {
    /// Continues with the value: `body` turns it into the value of the promise that is returned.
    ///
    /// An error passes by to the next handler that wants one, and an error that `body` throws starts there.
    ///
    /// ```swift
    /// let length = Promise("word").next { $0.count }
    /// ```
    ///
    /// To run elsewhere than before, name the place: `.next(on: .background)` or any other ``Scheduler``, `.next(on: .main)`
    /// for the main actor, `.next(on: .task)` for `async` work.
    @inlinable
    @discardableResult
    public func next<Output>(_ body: @escaping @Sendable (Value) throws -> Output) -> Promise<Output> {
        link(.values) { link, source in link.fulfill(try body(source.loadSlot())) }
    }

    /// Continues with the value: the promise that is returned settles like the one that `body` returns.
    @inlinable
    @discardableResult
    public func next<Output>(_ body: @escaping @Sendable (Value) throws -> Promise<Output>) -> Promise<Output> {
        link(.values) { link, source in link.follow(try body(source.loadSlot())) }
    }

    /// Continues with the value on a scheduler, which later links inherit.
    @inlinable
    @discardableResult
    public func next<Output>(
        on scheduler: Scheduler, _ body: @escaping @Sendable (Value) throws -> Output
    ) -> Promise<Output> {
        link(on: scheduler, .values) { link, source in link.fulfill(try body(source.loadSlot())) }
    }

    /// Continues with the value on a scheduler, which later links inherit, and follows the promise that `body` returns.
    @inlinable
    @discardableResult
    public func next<Output>(
        on scheduler: Scheduler, _ body: @escaping @Sendable (Value) throws -> Promise<Output>
    ) -> Promise<Output> {
        link(on: scheduler, .values) { link, source in link.follow(try body(source.loadSlot())) }
    }

    /// Continues with the value on the main actor.
    @inlinable
    @discardableResult
    public func next<Output>(
        on main: MainScheduler, _ body: @escaping @MainActor @Sendable (Value) throws -> Output
    ) -> Promise<Output> {
        link(on: main.scheduler, .values) { link, source in
            try MainActor.assumeIsolated { link.fulfill(try body(source.loadSlot())) }
        }
    }

    /// Continues with the value on the main actor, and follows the promise that `body` returns.
    @inlinable
    @discardableResult
    public func next<Output>(
        on main: MainScheduler, _ body: @escaping @MainActor @Sendable (Value) throws -> Promise<Output>
    ) -> Promise<Output> {
        link(on: main.scheduler, .values) { link, source in
            try MainActor.assumeIsolated { link.follow(try body(source.loadSlot())) }
        }
    }

    /// Continues with the value in a task of its own, which is cancelled with the promise that is returned.
    @inlinable
    @discardableResult
    public func next<Output>(
        on task: TaskScheduler, _ body: @escaping @Sendable (Value) async throws -> Output
    ) -> Promise<Output> {
        link([.values, .inline]) { link, source in
            link.runTask({ try await body(source.loadSlot()) }, then: { $0.fulfillOpen($1) })
        }
    }

    /// Continues with the value in a task of its own, and follows the promise that `body` returns.
    @inlinable
    @discardableResult
    public func next<Output>(
        on task: TaskScheduler, _ body: @escaping @Sendable (Value) async throws -> Promise<Output>
    ) -> Promise<Output> {
        link([.values, .inline]) { link, source in
            link.runTask({ try await body(source.loadSlot()) }, then: { $0.followOpen($1) })
        }
    }
}

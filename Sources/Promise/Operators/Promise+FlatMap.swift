extension Promise {
    /// Continues with a promise: the returned promise settles with the outcome of the one that `body` returns.
    ///
    /// An error skips `body`. If `body` throws, its error rejects the returned promise.
    ///
    /// ```swift
    /// let posts = loadUser(1).flatMap { user in loadPosts(by: user) }
    /// ```
    ///
    /// `next` does the same, and also accepts a closure that returns a value.
    @inlinable
    @discardableResult
    public func flatMap<Output>(_ body: @escaping @Sendable (Value) throws -> Promise<Output>) -> Promise<Output> {
        link(.values) { link, source in link.follow(try body(source.loadSlot())) }
    }

    // Never chosen in code that compiles, so it costs no time there. Without it, the error for a closure that returns a
    // value points at the next closure.
    @available(*, unavailable, message: "the closure does not return a promise: return one, or use map")
    @discardableResult
    public func flatMap<Output>(_ body: @escaping @Sendable (Value) throws -> Output) -> Promise<Output> {
        map(body)
    }

    /// Continues with a promise that `body` creates on a scheduler, which later links inherit.
    @inlinable
    @discardableResult
    public func flatMap<Output>(
        on scheduler: Scheduler, _ body: @escaping @Sendable (Value) throws -> Promise<Output>
    ) -> Promise<Output> {
        link(on: scheduler, .values) { link, source in link.follow(try body(source.loadSlot())) }
    }

    /// Continues with a promise that `body` creates on the main actor.
    @inlinable
    @discardableResult
    public func flatMap<Output>(
        on main: MainScheduler, _ body: @escaping @MainActor @Sendable (Value) throws -> Promise<Output>
    ) -> Promise<Output> {
        link(on: main.scheduler, .values) { link, source in
            try MainActor.assumeIsolated { link.follow(try body(source.loadSlot())) }
        }
    }

    /// Continues with a promise that `body` creates in a task of its own. Cancelling the returned promise cancels the
    /// task.
    @inlinable
    @discardableResult
    public func flatMap<Output>(
        on task: TaskScheduler, _ body: @escaping @Sendable (Value) async throws -> Promise<Output>
    ) -> Promise<Output> {
        link([.values, .inline]) { link, source in
            link.runTask({ try await body(source.loadSlot()) }, then: { $0.followOpen($1) })
        }
    }
}

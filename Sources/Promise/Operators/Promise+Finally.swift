extension Promise {
    /// Runs `body` exactly once, after a value, an error or a cancellation. The outcome is passed on.
    ///
    /// ```swift
    /// spinner.start()
    /// loadUser(1).finally(on: .main) { spinner.stop() }
    /// ```
    ///
    /// `body` runs even if the returned promise itself is cancelled. An error that `body` throws replaces the outcome.
    @inlinable
    @discardableResult
    public func finally(_ body: @escaping @Sendable () throws -> Void) -> Promise {
        finally(on: scheduler, body)
    }

    /// Runs `body` exactly once after any outcome, on a scheduler, which later links inherit.
    @inlinable
    @discardableResult
    public func finally(on scheduler: Scheduler, _ body: @escaping @Sendable () throws -> Void) -> Promise {
        link(on: scheduler, [.everything, .cleanup]) { link, source in
            try body()
            link.takeOver(source)
        }
    }

    /// Runs `body` exactly once after any outcome, on the main actor.
    @inlinable
    @discardableResult
    public func finally(on main: MainScheduler, _ body: @escaping @MainActor @Sendable () throws -> Void) -> Promise {
        finally(on: main.scheduler) { try MainActor.assumeIsolated { try body() } }
    }

    /// Runs `body` exactly once after any outcome, in a task. The returned promise settles when the task ends.
    @inlinable
    @discardableResult
    public func finally(on task: TaskScheduler, _ body: @escaping @Sendable () async throws -> Void) -> Promise {
        link([.everything, .cleanup, .inline]) { link, source in
            link.runTask(body, then: { link, _ in link.takeOverOpen(source) })
        }
    }
}

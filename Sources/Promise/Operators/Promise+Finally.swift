extension Promise {
    /// Runs `body` exactly once, whatever the outcome is: value, error or cancellation. The outcome is passed on.
    ///
    /// ```swift
    /// spinner.start()
    /// loadUser(1).finally(on: .main) { spinner.stop() }
    /// ```
    ///
    /// It runs even when the promise that is returned is cancelled itself. An error that `body` throws takes the place of
    /// the outcome.
    @inlinable
    @discardableResult
    public func finally(_ body: @escaping @Sendable () throws -> Void) -> Promise {
        finally(on: scheduler, body)
    }

    /// Runs `body` exactly once, whatever the outcome is, on a scheduler, which later links inherit.
    @inlinable
    @discardableResult
    public func finally(on scheduler: Scheduler, _ body: @escaping @Sendable () throws -> Void) -> Promise {
        link(on: scheduler, [.everything, .cleanup]) { link, source in
            try body()
            link.takeOver(source)
        }
    }

    /// Runs `body` exactly once, whatever the outcome is, on the main actor.
    @inlinable
    @discardableResult
    public func finally(on main: MainScheduler, _ body: @escaping @MainActor @Sendable () throws -> Void) -> Promise {
        finally(on: main.scheduler) { try MainActor.assumeIsolated { try body() } }
    }

    /// Runs `body` exactly once, whatever the outcome is, in a task; the promise that is returned settles after it.
    @inlinable
    @discardableResult
    public func finally(on task: TaskScheduler, _ body: @escaping @Sendable () async throws -> Void) -> Promise {
        link([.everything, .cleanup, .inline]) { link, source in
            link.runTask(body, then: { link, _ in link.takeOverOpen(source) })
        }
    }
}

extension Promise {
    /// Replaces an error by a value, so that the chain continues.
    ///
    /// ```swift
    /// let user = loadUser(1).recover { _ in User.anonymous }
    /// ```
    ///
    /// To keep the promise rejected, throw from `body`: the same error or another.
    @inlinable
    @discardableResult
    public func recover(
        policy: CatchPolicy = .errors, _ body: @escaping @Sendable (any Error) throws -> Value
    ) -> Promise {
        recover(on: scheduler, policy: policy, body)
    }

    /// Replaces an error by the outcome of the promise that `body` returns.
    @_disfavoredOverload  // so that a handler that only throws is not ambiguous
    @inlinable
    @discardableResult
    public func recover(
        policy: CatchPolicy = .errors, _ body: @escaping @Sendable (any Error) throws -> Promise
    ) -> Promise {
        recover(on: scheduler, policy: policy, body)
    }

    /// Replaces an error by a value on a scheduler, which later links inherit.
    @inlinable
    @discardableResult
    public func recover(
        on scheduler: Scheduler, policy: CatchPolicy = .errors, _ body: @escaping @Sendable (any Error) throws -> Value
    ) -> Promise {
        link(on: scheduler, policy.traits) { link, source in link.fulfill(try body(source.error)) }
    }

    /// Replaces an error by the outcome of another promise on a scheduler, which later links inherit.
    @_disfavoredOverload  // so that a handler that only throws is not ambiguous
    @inlinable
    @discardableResult
    public func recover(
        on scheduler: Scheduler, policy: CatchPolicy = .errors,
        _ body: @escaping @Sendable (any Error) throws -> Promise
    ) -> Promise {
        link(on: scheduler, policy.traits) { link, source in link.follow(try body(source.error)) }
    }

    /// Replaces an error by a value on the main actor.
    @inlinable
    @discardableResult
    public func recover(
        on main: MainScheduler, policy: CatchPolicy = .errors,
        _ body: @escaping @MainActor @Sendable (any Error) throws -> Value
    ) -> Promise {
        recover(on: main.scheduler, policy: policy) { error in try MainActor.assumeIsolated { try body(error) } }
    }

    /// Replaces an error by the outcome of another promise on the main actor.
    @_disfavoredOverload  // so that a handler that only throws is not ambiguous
    @inlinable
    @discardableResult
    public func recover(
        on main: MainScheduler, policy: CatchPolicy = .errors,
        _ body: @escaping @MainActor @Sendable (any Error) throws -> Promise
    ) -> Promise {
        recover(on: main.scheduler, policy: policy) { error in try MainActor.assumeIsolated { try body(error) } }
    }

    /// Replaces an error by a value in a task of its own. Cancelling the returned promise cancels the task.
    @inlinable
    @discardableResult
    public func recover(
        on task: TaskScheduler, policy: CatchPolicy = .errors,
        _ body: @escaping @Sendable (any Error) async throws -> Value
    ) -> Promise {
        link(policy.traits.union(.inline)) { link, source in
            link.runTask({ try await body(source.error) }, then: { $0.fulfillOpen($1) })
        }
    }
}

/// The rejections for which an error handler runs.
public enum CatchPolicy: Sendable {
    /// Errors, but not cancellations. The code that cancels usually needs no notification.
    case errors
    /// Errors and cancellations.
    case all

    @usableFromInline var traits: Traits {
        switch self {
        case .errors: .errors
        case .all: [.errors, .cancellations]
        }
    }
}

extension Promise {
    /// Handles the error at the end of a chain.
    ///
    /// ```swift
    /// loadUser(1).next { print($0.name) }.catch { print("failed: \($0)") }
    /// ```
    ///
    /// The error counts as handled, and the returned promise is rejected with it. After an error, a later `next` does
    /// not run; a later `catch`, `recover`, `finally` or `then` with two handlers does. This differs from JavaScript,
    /// where `catch` turns the error into a value. In Tango, `recover` does that.
    @inlinable
    @discardableResult
    public func `catch`(
        policy: CatchPolicy = .errors, _ body: @escaping @Sendable (any Error) throws -> Void
    ) -> Promise {
        `catch`(on: scheduler, policy: policy, body)
    }

    /// Handles the error on a scheduler, which later links inherit.
    @inlinable
    @discardableResult
    public func `catch`(
        on scheduler: Scheduler, policy: CatchPolicy = .errors, _ body: @escaping @Sendable (any Error) throws -> Void
    ) -> Promise {
        link(on: scheduler, policy.traits) { link, source in
            try body(source.error)
            link.takeOver(source, isHandled: true)
        }
    }

    /// Handles the error on the main actor.
    @inlinable
    @discardableResult
    public func `catch`(
        on main: MainScheduler, policy: CatchPolicy = .errors,
        _ body: @escaping @MainActor @Sendable (any Error) throws -> Void
    ) -> Promise {
        `catch`(on: main.scheduler, policy: policy) { error in try MainActor.assumeIsolated { try body(error) } }
    }

    /// Handles the error in a task of its own. The returned promise settles when the task ends.
    @inlinable
    @discardableResult
    public func `catch`(
        on task: TaskScheduler, policy: CatchPolicy = .errors,
        _ body: @escaping @Sendable (any Error) async throws -> Void
    ) -> Promise {
        link(policy.traits.union(.inline)) { link, source in
            link.runTask(
                { try await body(source.error) }, then: { link, _ in link.takeOverOpen(source, isHandled: true) })
        }
    }
}

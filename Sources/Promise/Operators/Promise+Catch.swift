/// Which rejections a handler is for.
public enum CatchPolicy: Sendable {
    /// Errors, but not cancellations: whoever cancels does not want to hear of it.
    case errors
    /// Cancellations too.
    case all

    @usableFromInline var traits: Traits {
        switch self {
        case .errors: .errors
        case .all: [.errors, .cancellations]
        }
    }
}

extension Promise {
    /// Ends a chain: looks at the error, which counts as handled from here on.
    ///
    /// ```swift
    /// loadUser(1).next { print($0.name) }.catch { print("failed: \($0)") }
    /// ```
    ///
    /// The promise that is returned keeps the outcome. After an error, a later `next` does not run, while a later
    /// `catch`, `recover`, `finally` or `then` with two handlers still does; so this is not JavaScript's `catch`, which
    /// turns the error into a value. That is `recover`.
    @inlinable
    @discardableResult
    public func `catch`(
        policy: CatchPolicy = .errors, _ body: @escaping @Sendable (any Error) throws -> Void
    ) -> Promise {
        `catch`(on: scheduler, policy: policy, body)
    }

    /// Looks at the error on a scheduler, which later links inherit.
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

    /// Looks at the error on the main actor.
    @inlinable
    @discardableResult
    public func `catch`(
        on main: MainScheduler, policy: CatchPolicy = .errors,
        _ body: @escaping @MainActor @Sendable (any Error) throws -> Void
    ) -> Promise {
        `catch`(on: main.scheduler, policy: policy) { error in try MainActor.assumeIsolated { try body(error) } }
    }

    /// Looks at the error in a task of its own; the promise that is returned settles after it.
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

extension Promise {
    /// Handles errors of one type.
    ///
    /// ```swift
    /// loadUser(404).catch(LoadError.self) { error in print("not loaded: \(error)") }
    /// ```
    ///
    /// The returned promise has the same outcome, as with ``catch(policy:_:)``. An error of another type skips `body`
    /// and stays unhandled: later handlers receive it, and it is reported if there is none. A cancellation skips `body`
    /// unless `type` is `CancellationError`.
    @inlinable
    @discardableResult
    public func `catch`<Failure: Error>(
        _ type: Failure.Type, _ body: @escaping @Sendable (Failure) throws -> Void
    ) -> Promise {
        `catch`(type, on: scheduler, body)
    }

    /// Handles errors of one type on a scheduler, which later links inherit.
    @inlinable
    @discardableResult
    public func `catch`<Failure: Error>(
        _ type: Failure.Type, on scheduler: Scheduler, _ body: @escaping @Sendable (Failure) throws -> Void
    ) -> Promise {
        link(on: scheduler, CatchPolicy.naming(type).traits) { link, source in
            let failure = source.error as? Failure
            if let failure { try body(failure) }
            link.takeOver(source, isHandled: failure != nil)
        }
    }

    /// Handles errors of one type on the main actor.
    @inlinable
    @discardableResult
    public func `catch`<Failure: Error>(
        _ type: Failure.Type, on main: MainScheduler, _ body: @escaping @MainActor @Sendable (Failure) throws -> Void
    ) -> Promise {
        `catch`(type, on: main.scheduler) { error in try MainActor.assumeIsolated { try body(error) } }
    }

    /// Handles errors of one type in a task of its own. The returned promise settles when the task ends.
    @inlinable
    @discardableResult
    public func `catch`<Failure: Error>(
        _ type: Failure.Type, on task: TaskScheduler, _ body: @escaping @Sendable (Failure) async throws -> Void
    ) -> Promise {
        link(CatchPolicy.naming(type).traits.union(.inline)) { link, source in
            guard let failure = source.error as? Failure else { return link.takeOver(source) }
            link.runTask({ try await body(failure) }, then: { link, _ in link.takeOverOpen(source, isHandled: true) })
        }
    }
}

extension CatchPolicy {
    /// The policy of a handler for errors of one type.
    @usableFromInline
    static func naming(_ type: any Error.Type) -> CatchPolicy {
        type == CancellationError.self ? .all : .errors
    }
}

// Links for an object, such as a screen or its model.
//
// The object is held weakly. Once it is gone, the handler does not run, and the link is cancelled within a second: it leaves its
// source, which is cancelled if nothing else waits for it.
extension Promise {
    /// Continues with the value on the main actor, as long as an object lives. The object is not retained.
    ///
    /// ```swift
    /// loadUser(1).next(for: self, on: .main) { screen, user in
    ///     screen.title = user.name
    /// }
    /// ```
    ///
    /// When the object is gone, the returned promise is cancelled within a second, and `body` does not run. The work is cancelled with
    /// it if nothing else waits for it, as by ``AnyPromise/cancel()``.
    @discardableResult
    public func next<Owner: AnyObject & Sendable, Output>(
        for owner: Owner, on main: MainScheduler,
        _ body: @escaping @MainActor @Sendable (Owner, Value) throws -> Output
    ) -> Promise<Output> {
        map(on: main) { [weak owner] value in try body(present(owner), value) }.owned(by: owner, isOnMain: true)
    }

    /// Continues with a promise that `body` creates on the main actor, as long as an object lives.
    @discardableResult
    public func next<Owner: AnyObject & Sendable, Output>(
        for owner: Owner, on main: MainScheduler,
        _ body: @escaping @MainActor @Sendable (Owner, Value) throws -> Promise<Output>
    ) -> Promise<Output> {
        flatMap(on: main) { [weak owner] value in try body(present(owner), value) }.owned(by: owner, isOnMain: true)
    }

    /// Continues with the value as long as an object lives. The object is not retained.
    @discardableResult
    public func next<Owner: AnyObject & Sendable, Output>(
        for owner: Owner, on scheduler: Scheduler? = nil,
        _ body: @escaping @Sendable (Owner, Value) throws -> Output
    ) -> Promise<Output> {
        map(on: scheduler ?? self.scheduler) { [weak owner] value in try body(present(owner), value) }
            .owned(by: owner, isOnMain: false)
    }

    /// Continues with a promise that `body` creates, as long as an object lives.
    @discardableResult
    public func next<Owner: AnyObject & Sendable, Output>(
        for owner: Owner, on scheduler: Scheduler? = nil,
        _ body: @escaping @Sendable (Owner, Value) throws -> Promise<Output>
    ) -> Promise<Output> {
        flatMap(on: scheduler ?? self.scheduler) { [weak owner] value in try body(present(owner), value) }
            .owned(by: owner, isOnMain: false)
    }

    /// Handles the error on the main actor, as long as an object lives. The object is not retained.
    @discardableResult
    public func `catch`<Owner: AnyObject & Sendable>(
        for owner: Owner, on main: MainScheduler, policy: CatchPolicy = .errors,
        _ body: @escaping @MainActor @Sendable (Owner, any Error) throws -> Void
    ) -> Promise {
        `catch`(on: main, policy: policy) { [weak owner] error in if let owner { try body(owner, error) } }
            .owned(by: owner, isOnMain: true)
    }

    /// Handles the error as long as an object lives. The object is not retained.
    @discardableResult
    public func `catch`<Owner: AnyObject & Sendable>(
        for owner: Owner, on scheduler: Scheduler? = nil, policy: CatchPolicy = .errors,
        _ body: @escaping @Sendable (Owner, any Error) throws -> Void
    ) -> Promise {
        `catch`(on: scheduler ?? self.scheduler, policy: policy) { [weak owner] error in
            if let owner { try body(owner, error) }
        }
        .owned(by: owner, isOnMain: false)
    }

    /// Runs `body` on the main actor after any outcome, if an object still lives. The object is not retained.
    @discardableResult
    public func finally<Owner: AnyObject & Sendable>(
        for owner: Owner, on main: MainScheduler, _ body: @escaping @MainActor @Sendable (Owner) throws -> Void
    ) -> Promise {
        finally(on: main) { [weak owner] in if let owner { try body(owner) } }.owned(by: owner, isOnMain: true)
    }

    /// Runs `body` after any outcome, if an object still lives. The object is not retained.
    @discardableResult
    public func finally<Owner: AnyObject & Sendable>(
        for owner: Owner, on scheduler: Scheduler? = nil, _ body: @escaping @Sendable (Owner) throws -> Void
    ) -> Promise {
        finally(on: scheduler ?? self.scheduler) { [weak owner] in if let owner { try body(owner) } }
            .owned(by: owner, isOnMain: false)
    }

    private func owned(by owner: AnyObject & Sendable, isOnMain: Bool) -> Promise {
        Owners.watch(owner, for: self, isOnMain: isOnMain)
        return self
    }
}

/// Returns the owner of a link, or cancels the link.
private func present<Owner>(_ owner: Owner?) throws -> Owner {
    guard let owner else { throw CancellationError() }
    return owner
}

extension AnyPromise: OwnedWork {
    package var isOver: Bool { !isPending }

    package func endWithoutOwner() { cancel() }
}

// Messages for operators on a `DispatchQueue`, an `OperationQueue` or an actor. The compiler considers unavailable functions
// only for code that does not compile. The closures are isolated to the main actor, so that there is no second error.
//
// There is none for `next` and `then`: with their two overloads for each scheduler, mistakes in chains of three links would
// take several times as long to compile.
extension Promise {
    @available(
        *, unavailable,
        message: "this object is not a scheduler: write `on: .main` for the main actor, or `on: .queue(queue)`"
    )
    @discardableResult
    public func map<Output>(
        on object: AnyObject, _ body: @escaping @MainActor @Sendable (Value) throws -> Output
    ) -> Promise<Output> {
        map(on: .main, body)
    }

    @available(
        *, unavailable,
        message: "this object is not a scheduler: write `on: .main` for the main actor, or `on: .queue(queue)`"
    )
    @discardableResult
    public func flatMap<Output>(
        on object: AnyObject, _ body: @escaping @MainActor @Sendable (Value) throws -> Promise<Output>
    ) -> Promise<Output> {
        flatMap(on: .main, body)
    }

    @available(
        *, unavailable,
        message: "this object is not a scheduler: write `on: .main` for the main actor, or `on: .queue(queue)`"
    )
    @discardableResult
    public func tap(on object: AnyObject, _ body: @escaping @MainActor @Sendable (Value) throws -> Void) -> Promise {
        tap(on: .main, body)
    }

    @available(
        *, unavailable,
        message: "this object is not a scheduler: write `on: .main` for the main actor, or `on: .queue(queue)`"
    )
    @discardableResult
    public func `catch`(
        on object: AnyObject, policy: CatchPolicy = .errors,
        _ body: @escaping @MainActor @Sendable (any Error) throws -> Void
    ) -> Promise {
        `catch`(on: .main, policy: policy, body)
    }

    @available(
        *, unavailable,
        message: "this object is not a scheduler: write `on: .main` for the main actor, or `on: .queue(queue)`"
    )
    @discardableResult
    public func recover(
        on object: AnyObject, policy: CatchPolicy = .errors,
        _ body: @escaping @MainActor @Sendable (any Error) throws -> Value
    ) -> Promise {
        recover(on: .main, policy: policy, body)
    }

    @available(
        *, unavailable,
        message: "this object is not a scheduler: write `on: .main` for the main actor, or `on: .queue(queue)`"
    )
    @discardableResult
    public func finally(on object: AnyObject, _ body: @escaping @MainActor @Sendable () throws -> Void) -> Promise {
        finally(on: .main, body)
    }
}

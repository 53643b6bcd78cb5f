// Messages for handlers that use `any Error` as a RequestError. There is none for `catch(on: .main)`: it would make mistakes
// in long chains take too long to compile.
extension Promise {
    @available(
        *, unavailable,
        message: "the error is `any Error`: write `.catch(RequestError.self) { … }`, or use `error.asRequestError`"
    )
    @discardableResult
    public func `catch`(
        policy: CatchPolicy = .errors, _ body: @escaping @Sendable (RequestError) throws -> Void
    ) -> Promise {
        `catch`(RequestError.self, body)
    }
}

extension Request {
    @available(*, unavailable, message: "the error is `any Error`: use `error.asRequestError`")
    @discardableResult
    public nonisolated final func start(
        on scheduler: Scheduler? = nil, lifetime: CallLifetime = .managed,
        success: @escaping @Sendable (Output) -> Void,
        failure: @escaping @Sendable (RequestError) -> Void
    ) -> Call<Output> {
        start(on: scheduler, lifetime: lifetime, success: success)
    }

    @available(*, unavailable, message: "the error is `any Error`: use `error.asRequestError`")
    @discardableResult
    public nonisolated final func start(
        on main: MainScheduler, lifetime: CallLifetime = .managed,
        success: @escaping @MainActor (Output) -> Void,
        failure: @escaping @MainActor (RequestError) -> Void
    ) -> Call<Output> {
        start(on: main, lifetime: lifetime, success: success)
    }
}

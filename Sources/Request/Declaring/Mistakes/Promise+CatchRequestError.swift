// There is none for `catch(on: .main)`: it would make mistakes in long chains take too long to compile.
extension Promise {
    // Without it, the error is that `any Error` has no such member.
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

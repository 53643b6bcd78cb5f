extension Request {
    // As in Promise+OnObject.swift.
    @available(
        *, unavailable,
        message: "this object is not a scheduler: write `on: .main` for the main actor, or `on: .queue(queue)`"
    )
    @discardableResult
    public nonisolated final func start(
        on object: AnyObject, lifetime: CallLifetime = .managed,
        success: @escaping @MainActor (Output) -> Void,
        failure: @escaping @MainActor (any Error) -> Void = { _ in }
    ) -> Call<Output> {
        start(on: .main, lifetime: lifetime, success: success, failure: failure)
    }
}

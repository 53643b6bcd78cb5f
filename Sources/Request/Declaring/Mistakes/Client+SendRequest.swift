extension Client {
    // Without it, the error is about HTTPRequest.
    @available(*, unavailable, message: "a declared request has a client already: write `request.promise`")
    public func send<Output: Sendable>(_ request: Request<Output>) async throws -> Output {
        try await request.promise.value
    }
}

extension MockTransport {
    /// Adds responses for the requests of a class.
    ///
    /// - Parameters:
    ///   - type: The class, such as `GetUser.self`.
    ///   - responses: The responses, in order; a single status 200 without a body by default.
    ///   - fileID: The file of the stub, for ``verify()``.
    ///   - line: The line of the stub.
    public func stub<Output>(
        _ type: Request<Output>.Type, _ responses: MockResponse..., fileID: String = #fileID, line: Int = #line
    ) {
        add(.type(type), responses, fileID, line)
    }

    /// Adds the output of the requests of a class, which is encoded as JSON.
    ///
    /// - Parameters:
    ///   - type: The class, such as `GetUser.self`.
    ///   - output: The output.
    ///   - fileID: The file of the stub, for ``verify()``.
    ///   - line: The line of the stub.
    public func stub<Output: Encodable>(
        _ type: Request<Output>.Type, value output: Output, fileID: String = #fileID, line: Int = #line
    ) {
        add(.type(type), [.value(output)], fileID, line)
    }
}

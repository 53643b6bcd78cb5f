extension Serializer where Output == Data {
    /// Returns the bytes of the body.
    public static var data: Self { Self(OutputDecoder(form: .data) { response, _ in response.body }) }
}

extension Serializer where Output == Void {
    /// Ignores the body.
    public static var empty: Self { Self(OutputDecoder(form: .empty) { _, _ in }) }
}

extension Serializer where Output == HTTPResponse {
    /// Returns the response itself.
    public static var response: Self { Self { response in response } }
}

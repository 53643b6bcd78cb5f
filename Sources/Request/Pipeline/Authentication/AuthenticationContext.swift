/// The means that an ``Authenticator`` has beside the request.
public struct AuthenticationContext: Sendable {
    /// The client whose call needs credentials. Its transport, its clock and its settings apply to requests for tokens.
    public let client: Client
    /// The number of times that the request was rejected before, within its call.
    public let rejections: Int

    /// Creates a context.
    public init(client: Client, rejections: Int = 0) {
        self.client = client
        self.rejections = rejections
    }

    /// Sends a request for credentials, and returns the response, whatever its status.
    ///
    /// The request passes neither the authenticator, nor the caches, the cookies and the interceptors of the client. Its
    /// URL and its body are redacted in all outputs.
    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await client.send(request, cachePolicy: .networkOnly)
    }
}

/// The means that an ``Authenticator`` has beside the request.
public struct AuthenticationContext: Sendable {
    /// The client whose call needs credentials.
    public let client: Client
    /// The number of times that the request was rejected before, within its call.
    public let rejections: Int
    /// The request that needs a token, without its body and its `Authorization`, as a ``TokenSource`` sees it; nil if no request
    /// does, such as at a sign-out.
    ///
    /// If several calls wait, it is the request of the first one. The token is that of all of them.
    public private(set) var request: HTTPRequest?
    /// The tags of the request: see `Request.tags`.
    public let tags: Set<String>
    /// The number of the call, which grows in the order in which calls are started.
    private(set) var call = UInt64.max

    /// Creates a context.
    public init(client: Client, rejections: Int = 0, request: HTTPRequest? = nil, tags: Set<String> = []) {
        self.client = client
        self.rejections = rejections
        self.request = request
        self.tags = tags
    }

    /// Creates the context of a call.
    init(of core: CallCore, rejections: Int = 0) {
        self.init(client: core.plan.client, rejections: rejections, tags: core.plan.tags)
        call = core.id
    }

    /// Returns the context with the request that needs a token.
    func requesting(_ request: HTTPRequest) -> AuthenticationContext {
        var context = self
        var request = request
        request.body = .none
        request.headers.remove("Authorization")
        context.request = request
        return context
    }

    /// The time of day, as the client has it.
    public var now: Date { client.wallTime.now }

    /// Sends a request for credentials, and returns the response, whatever its status.
    ///
    /// The client's transport, timeouts, rules of trust, observers and log apply. The request passes neither the
    /// authenticator, nor the cache, the limiter and the interceptors of the client, and has no cookies. A response of more than
    /// 256 KB fails with `RequestError.Code.responseTooLarge`.
    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let sender = client.plainClient(responseLimit: TokenResponse.limit)
        // A client that is shut down meanwhile finds the sender, or is found to be shut down here.
        guard !client.isShutDown else {
            throw RequestError(
                .shutDown, phase: .prepare, detail: "the client was shut down: create a new client", request: request)
        }
        var request = request
        if !request.headers.contains("User-Agent"), let userAgent = client.userAgent {
            request.headers.append(name: "User-Agent", value: userAgent)
        }
        return try await CredentialRequest.$isCurrent.withValue(true) { [request] in
            try await sender.send(request, cachePolicy: .networkOnly)
        }
    }
}

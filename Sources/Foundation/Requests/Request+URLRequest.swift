extension Request {
    /// Returns the `URLRequest` of the request as far as it is known before it is sent, for code that uses `URLSession`.
    ///
    /// ```swift
    /// let urlRequest = try GetUser(id: 1).urlRequest()
    /// ```
    ///
    /// It has the URL, the header fields and the body, without the changes of interceptors, the cookies and the credentials of an
    /// authenticator. `Timeouts.idle` becomes its `timeoutInterval`, and the ``cachePolicy`` the nearest one that a `URLRequest`
    /// has.
    ///
    /// - Throws: A ``RequestError`` if the request cannot be sent, or if its body is a stream.
    public nonisolated final func urlRequest() throws -> URLRequest {
        var request = try prepared().urlRequest()
        request.timeoutInterval = URLRequest.interval(of: timeouts)
        request.cachePolicy = URLRequest.policy(of: cachePolicy)
        request.allow(only: networks)
        return request
    }
}

extension Client {
    /// Sends a `URLRequest`, for code that still makes them.
    ///
    /// ```swift
    /// let user = try await client.request(urlRequest, as: User.self).value
    /// ```
    ///
    /// A URL without a scheme is appended to the base URL of the client, as the path of an `Endpoint` is. The header fields of the
    /// client are added. The other settings of the `URLRequest` apply as follows:
    ///
    /// | `URLRequest` | here |
    /// |---|---|
    /// | `timeoutInterval` | `Timeouts.idle`, unless it is 60, the default of `URLRequest`, or not above 0 |
    /// | `cachePolicy` | the ``CachePolicy`` of the same meaning; by default that of the client |
    /// | `allowsCellularAccess` and its like | without the networks that it excludes |
    /// | `httpShouldHandleCookies` | not used: the client decides about cookies |
    ///
    /// A promise whose `URLRequest` cannot be sent is rejected, for example because its body is an `InputStream`.
    public nonisolated func request<Output: Sendable>(
        _ urlRequest: URLRequest, as output: Output.Type = Output.self, serializer: Serializer<Output> = .default
    ) -> Promise<Output> {
        do {
            return try MessageRequest(self, urlRequest, serializer).promise
        } catch {
            return .rejected(error)
        }
    }
}

/// A request that a `URLRequest` declares.
private nonisolated final class MessageRequest<Output: Sendable>: Request<Output>, InlineRequest {
    private let owner: Client
    private let message: URLRequest
    private let place: Endpoint
    private let form: Serializer<Output>

    init(_ client: Client, _ urlRequest: URLRequest, _ serializer: Serializer<Output>) throws {
        owner = client
        message = urlRequest
        form = serializer
        var headers = urlRequest.fields
        if urlRequest.asksServers, !headers.contains("Cache-Control") { headers["Cache-Control"] = "no-cache" }
        place = Endpoint(
            method: urlRequest.method, path: try urlRequest.target.absoluteString, headers: headers,
            body: try urlRequest.body)
    }

    override var client: Client { owner }
    override var endpoint: Endpoint { place }
    override var serializer: Serializer<Output> { form }
    override var networks: NetworkKinds { message.networks(of: super.networks) }
    override var timeouts: Timeouts { message.timeouts(of: super.timeouts) }

    /// The response is stored as it arrived, because there is no class that stands for its output.
    override var cachePolicy: CachePolicy {
        var policy = message.policy(hasStore: owner.cache != nil) ?? super.cachePolicy
        policy.write = .raw
        return policy
    }
}

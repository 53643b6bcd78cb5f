extension Client {
    /// Sends an endpoint, without a class for it.
    ///
    /// ```swift
    /// let posts = client.request(.get("/posts", query: ["author": 1]), as: [Post].self)
    /// ```
    public func request<Output: Sendable>(
        _ endpoint: Endpoint, as output: Output.Type = Output.self, serializer: Serializer<Output> = .default
    ) -> Promise<Output> {
        PlainRequest(self, endpoint, serializer).promise
    }

    /// Sends a `GET` request: see ``request(_:as:serializer:)-swift.method``.
    public func get<Output: Sendable>(
        _ path: String, query: Query = [:], headers: Headers = [:], as output: Output.Type = Output.self
    ) -> Promise<Output> {
        request(.get(path, query: query, headers: headers))
    }

    /// Sends a `POST` request: see ``request(_:as:serializer:)-swift.method``.
    public func post<Output: Sendable>(
        _ path: String, query: Query = [:], headers: Headers = [:], body: Body = .none,
        as output: Output.Type = Output.self
    ) -> Promise<Output> {
        request(.post(path, query: query, headers: headers, body: body))
    }

    /// Sends a `PUT` request: see ``request(_:as:serializer:)-swift.method``.
    public func put<Output: Sendable>(
        _ path: String, query: Query = [:], headers: Headers = [:], body: Body = .none,
        as output: Output.Type = Output.self
    ) -> Promise<Output> {
        request(.put(path, query: query, headers: headers, body: body))
    }

    /// Sends a `PATCH` request: see ``request(_:as:serializer:)-swift.method``.
    public func patch<Output: Sendable>(
        _ path: String, query: Query = [:], headers: Headers = [:], body: Body = .none,
        as output: Output.Type = Output.self
    ) -> Promise<Output> {
        request(.patch(path, query: query, headers: headers, body: body))
    }

    /// Sends a `DELETE` request: see ``request(_:as:serializer:)-swift.method``.
    public func delete<Output: Sendable>(
        _ path: String, query: Query = [:], headers: Headers = [:], body: Body = .none,
        as output: Output.Type = Output.self
    ) -> Promise<Output> {
        request(.delete(path, query: query, headers: headers, body: body))
    }

    /// Sends a `HEAD` request: see ``request(_:as:serializer:)-swift.method``. Its output is an ``HTTPResponse``, or
    /// `Void`.
    public func head<Output: Sendable>(
        _ path: String, query: Query = [:], headers: Headers = [:], as output: Output.Type = Output.self
    ) -> Promise<Output> {
        request(.head(path, query: query, headers: headers))
    }

    /// Sends an `OPTIONS` request: see ``request(_:as:serializer:)-swift.method``.
    public func options<Output: Sendable>(
        _ path: String, query: Query = [:], headers: Headers = [:], as output: Output.Type = Output.self
    ) -> Promise<Output> {
        request(.options(path, query: query, headers: headers))
    }
}

extension Client {
    /// Calls ``request(_:as:serializer:)-swift.method`` of the default client.
    public static func request<Output: Sendable>(
        _ endpoint: Endpoint, as output: Output.Type = Output.self, serializer: Serializer<Output> = .default
    ) -> Promise<Output> {
        Client.default.request(endpoint, serializer: serializer)
    }

    /// Calls ``get(_:query:headers:as:)-swift.method`` of the default client.
    public static func get<Output: Sendable>(
        _ path: String, query: Query = [:], headers: Headers = [:], as output: Output.Type = Output.self
    ) -> Promise<Output> {
        Client.default.get(path, query: query, headers: headers)
    }

    /// Calls ``head(_:query:headers:as:)-swift.method`` of the default client.
    public static func head<Output: Sendable>(
        _ path: String, query: Query = [:], headers: Headers = [:], as output: Output.Type = Output.self
    ) -> Promise<Output> {
        Client.default.head(path, query: query, headers: headers)
    }

    /// Calls ``options(_:query:headers:as:)-swift.method`` of the default client.
    public static func options<Output: Sendable>(
        _ path: String, query: Query = [:], headers: Headers = [:], as output: Output.Type = Output.self
    ) -> Promise<Output> {
        Client.default.options(path, query: query, headers: headers)
    }

    /// Calls ``post(_:query:headers:body:as:)-swift.method`` of the default client.
    public static func post<Output: Sendable>(
        _ path: String, query: Query = [:], headers: Headers = [:], body: Body = .none,
        as output: Output.Type = Output.self
    ) -> Promise<Output> {
        Client.default.post(path, query: query, headers: headers, body: body)
    }

    /// Calls ``put(_:query:headers:body:as:)-swift.method`` of the default client.
    public static func put<Output: Sendable>(
        _ path: String, query: Query = [:], headers: Headers = [:], body: Body = .none,
        as output: Output.Type = Output.self
    ) -> Promise<Output> {
        Client.default.put(path, query: query, headers: headers, body: body)
    }

    /// Calls ``patch(_:query:headers:body:as:)-swift.method`` of the default client.
    public static func patch<Output: Sendable>(
        _ path: String, query: Query = [:], headers: Headers = [:], body: Body = .none,
        as output: Output.Type = Output.self
    ) -> Promise<Output> {
        Client.default.patch(path, query: query, headers: headers, body: body)
    }

    /// Calls ``delete(_:query:headers:body:as:)-swift.method`` of the default client.
    public static func delete<Output: Sendable>(
        _ path: String, query: Query = [:], headers: Headers = [:], body: Body = .none,
        as output: Output.Type = Output.self
    ) -> Promise<Output> {
        Client.default.delete(path, query: query, headers: headers, body: body)
    }
}

/// A request without a class of its own.
private final class PlainRequest<Output: Sendable>: Request<Output>, InlineRequest {
    private let owner: Client
    private let place: Endpoint
    private let form: Serializer<Output>

    init(_ client: Client, _ endpoint: Endpoint, _ serializer: Serializer<Output>) {
        owner = client
        place = endpoint
        form = serializer
    }

    override var client: Client { owner }
    override var endpoint: Endpoint { place }
    override var serializer: Serializer<Output> { form }
    override var identifier: String? { nil }

    /// The response is stored as it arrived, because there is no class that stands for its output.
    override var cachePolicy: CachePolicy {
        var policy = super.cachePolicy
        policy.write = .raw
        return policy
    }
}

// Messages for values that are passed as bodies, and for `parameters:`, the label of Alamofire. `.json(…)` is no member of
// `Any`, so a mistake in a literal takes no longer to compile.
extension Endpoint {
    @available(
        *, unavailable,
        message: "the format of the body is missing: write `.json(value)`, `.form(fields)` or `.data(data)`"
    )
    public static func post(_ path: String, query: Query = [:], headers: Headers = [:], body: Any) -> Endpoint {
        .post(path, query: query, headers: headers)
    }

    @available(
        *, unavailable,
        message: "the format of the body is missing: write `.json(value)`, `.form(fields)` or `.data(data)`"
    )
    public static func put(_ path: String, query: Query = [:], headers: Headers = [:], body: Any) -> Endpoint {
        .put(path, query: query, headers: headers)
    }

    @available(
        *, unavailable,
        message: "the format of the body is missing: write `.json(value)`, `.form(fields)` or `.data(data)`"
    )
    public static func patch(_ path: String, query: Query = [:], headers: Headers = [:], body: Any) -> Endpoint {
        .patch(path, query: query, headers: headers)
    }

    @available(
        *, unavailable,
        message: "the format of the body is missing: write `.json(value)`, `.form(fields)` or `.data(data)`"
    )
    public static func delete(_ path: String, query: Query = [:], headers: Headers = [:], body: Any) -> Endpoint {
        .delete(path, query: query, headers: headers)
    }

    @available(*, unavailable, message: "`parameters` is not a label: write `query:`")
    public static func get(_ path: String, parameters: Any?, headers: Headers = [:]) -> Endpoint {
        .get(path, headers: headers)
    }

    @available(
        *, unavailable,
        message: "`parameters` is not a label: write `body: .json(…)`, `body: .form(…)` or `query:`"
    )
    public static func post(_ path: String, parameters: Any?, headers: Headers = [:]) -> Endpoint {
        .post(path, headers: headers)
    }
}

extension Client {
    @available(
        *, unavailable,
        message: "the format of the body is missing: write `.json(value)`, `.form(fields)` or `.data(data)`"
    )
    public func post<Output: Sendable>(
        _ path: String, query: Query = [:], headers: Headers = [:], body: Any, as output: Output.Type = Output.self
    ) -> Promise<Output> {
        request(.post(path, query: query, headers: headers))
    }

    @available(
        *, unavailable,
        message: "the format of the body is missing: write `.json(value)`, `.form(fields)` or `.data(data)`"
    )
    public func put<Output: Sendable>(
        _ path: String, query: Query = [:], headers: Headers = [:], body: Any, as output: Output.Type = Output.self
    ) -> Promise<Output> {
        request(.put(path, query: query, headers: headers))
    }

    @available(
        *, unavailable,
        message: "the format of the body is missing: write `.json(value)`, `.form(fields)` or `.data(data)`"
    )
    public func patch<Output: Sendable>(
        _ path: String, query: Query = [:], headers: Headers = [:], body: Any, as output: Output.Type = Output.self
    ) -> Promise<Output> {
        request(.patch(path, query: query, headers: headers))
    }

    @available(
        *, unavailable,
        message: "the format of the body is missing: write `.json(value)`, `.form(fields)` or `.data(data)`"
    )
    public func delete<Output: Sendable>(
        _ path: String, query: Query = [:], headers: Headers = [:], body: Any, as output: Output.Type = Output.self
    ) -> Promise<Output> {
        request(.delete(path, query: query, headers: headers))
    }

    @available(*, unavailable, message: "`parameters` is not a label: write `query:`")
    public func get<Output: Sendable>(
        _ path: String, parameters: Any?, headers: Headers = [:], as output: Output.Type = Output.self
    ) -> Promise<Output> {
        request(.get(path, headers: headers))
    }

    @available(
        *, unavailable,
        message: "`parameters` is not a label: write `body: .json(…)`, `body: .form(…)` or `query:`"
    )
    public func post<Output: Sendable>(
        _ path: String, parameters: Any?, headers: Headers = [:], as output: Output.Type = Output.self
    ) -> Promise<Output> {
        request(.post(path, headers: headers))
    }
}

extension Client {
    @available(
        *, unavailable,
        message: "the format of the body is missing: write `.json(value)`, `.form(fields)` or `.data(data)`"
    )
    public static func post<Output: Sendable>(
        _ path: String, query: Query = [:], headers: Headers = [:], body: Any, as output: Output.Type = Output.self
    ) -> Promise<Output> {
        request(.post(path, query: query, headers: headers))
    }

    @available(
        *, unavailable,
        message: "the format of the body is missing: write `.json(value)`, `.form(fields)` or `.data(data)`"
    )
    public static func put<Output: Sendable>(
        _ path: String, query: Query = [:], headers: Headers = [:], body: Any, as output: Output.Type = Output.self
    ) -> Promise<Output> {
        request(.put(path, query: query, headers: headers))
    }

    @available(
        *, unavailable,
        message: "the format of the body is missing: write `.json(value)`, `.form(fields)` or `.data(data)`"
    )
    public static func patch<Output: Sendable>(
        _ path: String, query: Query = [:], headers: Headers = [:], body: Any, as output: Output.Type = Output.self
    ) -> Promise<Output> {
        request(.patch(path, query: query, headers: headers))
    }

    @available(
        *, unavailable,
        message: "the format of the body is missing: write `.json(value)`, `.form(fields)` or `.data(data)`"
    )
    public static func delete<Output: Sendable>(
        _ path: String, query: Query = [:], headers: Headers = [:], body: Any, as output: Output.Type = Output.self
    ) -> Promise<Output> {
        request(.delete(path, query: query, headers: headers))
    }

    @available(*, unavailable, message: "`parameters` is not a label: write `query:`")
    public static func get<Output: Sendable>(
        _ path: String, parameters: Any?, headers: Headers = [:], as output: Output.Type = Output.self
    ) -> Promise<Output> {
        request(.get(path, headers: headers))
    }

    @available(
        *, unavailable,
        message: "`parameters` is not a label: write `body: .json(…)`, `body: .form(…)` or `query:`"
    )
    public static func post<Output: Sendable>(
        _ path: String, parameters: Any?, headers: Headers = [:], as output: Output.Type = Output.self
    ) -> Promise<Output> {
        request(.post(path, headers: headers))
    }
}

extension Body {
    @available(
        *, unavailable,
        message: "a dictionary of `Any` is not Encodable: write `.json([…])` with a literal, or encode a struct"
    )
    public static func json(_ dictionary: [String: Any]) -> Body {
        .none
    }
}

// Messages for a query in a variable that is a dictionary. `Endpoint.get` accepts one: see Endpoint+Dictionary.swift.

extension Client {
    @available(*, unavailable, message: "a dictionary is not a query: write `query: Query(dictionary)`")
    public func get<Output: Sendable>(
        _ path: String, query: [String: some Any], headers: Headers = [:],
        as output: Output.Type = Output.self
    ) -> Promise<Output> {
        request(.get(path, query: Query(query), headers: headers))
    }

    @available(*, unavailable, message: "a dictionary is not a query: write `query: Query(dictionary)`")
    public func post<Output: Sendable>(
        _ path: String, query: [String: some Any], headers: Headers = [:], body: Body = .none,
        as output: Output.Type = Output.self
    ) -> Promise<Output> {
        request(.post(path, query: Query(query), headers: headers, body: body))
    }

    @available(*, unavailable, message: "a dictionary is not a query: write `query: Query(dictionary)`")
    public func put<Output: Sendable>(
        _ path: String, query: [String: some Any], headers: Headers = [:], body: Body = .none,
        as output: Output.Type = Output.self
    ) -> Promise<Output> {
        request(.put(path, query: Query(query), headers: headers, body: body))
    }

    @available(*, unavailable, message: "a dictionary is not a query: write `query: Query(dictionary)`")
    public func patch<Output: Sendable>(
        _ path: String, query: [String: some Any], headers: Headers = [:], body: Body = .none,
        as output: Output.Type = Output.self
    ) -> Promise<Output> {
        request(.patch(path, query: Query(query), headers: headers, body: body))
    }

    @available(*, unavailable, message: "a dictionary is not a query: write `query: Query(dictionary)`")
    public func delete<Output: Sendable>(
        _ path: String, query: [String: some Any], headers: Headers = [:], body: Body = .none,
        as output: Output.Type = Output.self
    ) -> Promise<Output> {
        request(.delete(path, query: Query(query), headers: headers, body: body))
    }

    @available(*, unavailable, message: "a dictionary is not a query: write `query: Query(dictionary)`")
    public func head<Output: Sendable>(
        _ path: String, query: [String: some Any], headers: Headers = [:],
        as output: Output.Type = Output.self
    ) -> Promise<Output> {
        request(.head(path, query: Query(query), headers: headers))
    }

    @available(*, unavailable, message: "a dictionary is not a query: write `query: Query(dictionary)`")
    public func options<Output: Sendable>(
        _ path: String, query: [String: some Any], headers: Headers = [:],
        as output: Output.Type = Output.self
    ) -> Promise<Output> {
        request(.options(path, query: Query(query), headers: headers))
    }
}

extension Client {
    @available(*, unavailable, message: "a dictionary is not a query: write `query: Query(dictionary)`")
    public static func get<Output: Sendable>(
        _ path: String, query: [String: some Any], headers: Headers = [:],
        as output: Output.Type = Output.self
    ) -> Promise<Output> {
        request(.get(path, query: Query(query), headers: headers))
    }

    @available(*, unavailable, message: "a dictionary is not a query: write `query: Query(dictionary)`")
    public static func post<Output: Sendable>(
        _ path: String, query: [String: some Any], headers: Headers = [:], body: Body = .none,
        as output: Output.Type = Output.self
    ) -> Promise<Output> {
        request(.post(path, query: Query(query), headers: headers, body: body))
    }

    @available(*, unavailable, message: "a dictionary is not a query: write `query: Query(dictionary)`")
    public static func put<Output: Sendable>(
        _ path: String, query: [String: some Any], headers: Headers = [:], body: Body = .none,
        as output: Output.Type = Output.self
    ) -> Promise<Output> {
        request(.put(path, query: Query(query), headers: headers, body: body))
    }

    @available(*, unavailable, message: "a dictionary is not a query: write `query: Query(dictionary)`")
    public static func patch<Output: Sendable>(
        _ path: String, query: [String: some Any], headers: Headers = [:], body: Body = .none,
        as output: Output.Type = Output.self
    ) -> Promise<Output> {
        request(.patch(path, query: Query(query), headers: headers, body: body))
    }

    @available(*, unavailable, message: "a dictionary is not a query: write `query: Query(dictionary)`")
    public static func delete<Output: Sendable>(
        _ path: String, query: [String: some Any], headers: Headers = [:], body: Body = .none,
        as output: Output.Type = Output.self
    ) -> Promise<Output> {
        request(.delete(path, query: Query(query), headers: headers, body: body))
    }

    @available(*, unavailable, message: "a dictionary is not a query: write `query: Query(dictionary)`")
    public static func head<Output: Sendable>(
        _ path: String, query: [String: some Any], headers: Headers = [:],
        as output: Output.Type = Output.self
    ) -> Promise<Output> {
        request(.head(path, query: Query(query), headers: headers))
    }

    @available(*, unavailable, message: "a dictionary is not a query: write `query: Query(dictionary)`")
    public static func options<Output: Sendable>(
        _ path: String, query: [String: some Any], headers: Headers = [:],
        as output: Output.Type = Output.self
    ) -> Promise<Output> {
        request(.options(path, query: Query(query), headers: headers))
    }
}

extension Endpoint {
    @available(*, unavailable, message: "a dictionary is not a query: write `query: Query(dictionary)`")
    public static func post(
        _ path: String, query: [String: some Any], headers: Headers = [:], body: Body = .none
    ) -> Endpoint {
        .post(path, query: Query(query), headers: headers, body: body)
    }

    @available(*, unavailable, message: "a dictionary is not a query: write `query: Query(dictionary)`")
    public static func put(
        _ path: String, query: [String: some Any], headers: Headers = [:], body: Body = .none
    ) -> Endpoint {
        .put(path, query: Query(query), headers: headers, body: body)
    }

    @available(*, unavailable, message: "a dictionary is not a query: write `query: Query(dictionary)`")
    public static func patch(
        _ path: String, query: [String: some Any], headers: Headers = [:], body: Body = .none
    ) -> Endpoint {
        .patch(path, query: Query(query), headers: headers, body: body)
    }

    @available(*, unavailable, message: "a dictionary is not a query: write `query: Query(dictionary)`")
    public static func delete(
        _ path: String, query: [String: some Any], headers: Headers = [:], body: Body
    ) -> Endpoint {
        .delete(path, query: Query(query), headers: headers, body: body)
    }

    @available(*, unavailable, message: "a dictionary is not a query: write `query: Query(dictionary)`")
    public init(
        method: HTTPMethod = .get, path: String, query: [String: some Any], headers: Headers = [:], body: Body = .none
    ) {
        self.init(method: method, path: path, query: Query(query), headers: headers, body: body)
    }
}

extension Body {
    @available(*, unavailable, message: "a dictionary is not a query: write `.form(Query(dictionary))`")
    public static func form(_ fields: [String: some Any], style: QueryStyle = QueryStyle()) -> Body {
        .form(Query(fields), style: style)
    }
}

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Where a request goes, and with what.
///
/// ```swift
/// let search = Endpoint.get("/users", query: ["name": "Ada", "limit": 20])
/// let create = Endpoint.post("/posts", body: .json(["title": "Hello"]))
/// ```
///
/// A path is put after the base URL of the client: `https://api.example.com/v1` and `/users` make
/// `https://api.example.com/v1/users`. A path that is a whole URL is taken as it is, and does not receive the credentials of
/// the client unless it is of its origins: see ``Client/Configuration/trustedOrigins``.
public struct Endpoint: Sendable {
    /// What is wanted of the server.
    public var method: HTTPMethod
    /// What is put after the base URL of the client, or a whole URL.
    public var path: String
    /// What follows the path. It is written as ``Request/queryStyle`` says.
    public var query: Query
    /// Headers that come before those of the request and of the client.
    public var headers: Headers
    /// What is sent after the headers.
    public var body: Body
    let isDeclared: Bool

    /// An endpoint whose method has no function of its own here, or is known at run time only.
    public init(
        method: HTTPMethod = .get, path: String, query: Query = [:], headers: Headers = [:], body: Body = .none
    ) {
        self.init(method: method, path: path, query: query, headers: headers, body: body, isDeclared: true)
    }

    private init(method: HTTPMethod, path: String, query: Query, headers: Headers, body: Body, isDeclared: Bool) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.isDeclared = isDeclared
    }

    /// What a request has that declares none: a call of it fails with ``RequestError/Code/noEndpoint``.
    public static let undeclared = Endpoint(
        method: .get, path: "", query: [:], headers: [:], body: .none, isDeclared: false)

    /// A `GET`, which reads and changes nothing.
    public static func get(_ path: String, query: Query = [:], headers: Headers = [:]) -> Endpoint {
        Endpoint(method: .get, path: path, query: query, headers: headers)
    }

    /// A `HEAD`: what a `GET` would bring, without its body.
    public static func head(_ path: String, query: Query = [:], headers: Headers = [:]) -> Endpoint {
        Endpoint(method: .head, path: path, query: query, headers: headers)
    }

    /// A `POST`; see ``Body`` for all that can be sent.
    public static func post(
        _ path: String, query: Query = [:], headers: Headers = [:], body: Body = .none
    ) -> Endpoint {
        Endpoint(method: .post, path: path, query: query, headers: headers, body: body)
    }

    /// A `PUT`, which is idempotent and so may be sent again; see ``Body``.
    public static func put(
        _ path: String, query: Query = [:], headers: Headers = [:], body: Body = .none
    ) -> Endpoint {
        Endpoint(method: .put, path: path, query: query, headers: headers, body: body)
    }

    /// A `PATCH`; see ``Body``.
    public static func patch(
        _ path: String, query: Query = [:], headers: Headers = [:], body: Body = .none
    ) -> Endpoint {
        Endpoint(method: .patch, path: path, query: query, headers: headers, body: body)
    }

    /// A `DELETE`, which is idempotent and so may be sent again.
    public static func delete(
        _ path: String, query: Query = [:], headers: Headers = [:], body: Body = .none
    ) -> Endpoint {
        Endpoint(method: .delete, path: path, query: query, headers: headers, body: body)
    }

    /// An `OPTIONS`: what the server allows there.
    public static func options(_ path: String, query: Query = [:], headers: Headers = [:]) -> Endpoint {
        Endpoint(method: .options, path: path, query: query, headers: headers)
    }
}

/// The method, path, query, headers and body of a request.
///
/// ```swift
/// let search = Endpoint.get("/users", query: ["name": "Ada", "limit": 20])
/// let create = Endpoint.post("/posts", body: .json(["title": "Hello"]))
/// ```
///
/// The path is appended to the base URL of the client: `https://api.example.com/v1` and `/users` make
/// `https://api.example.com/v1/users`.
///
/// If the path is a whole URL, it is used unchanged. It receives the credentials of the client only if the client
/// trusts its origin: see ``Client/Configuration/trustedOrigins``.
public struct Endpoint: Sendable {
    /// The HTTP method.
    public var method: HTTPMethod
    /// The path after the base URL of the client, or a whole URL.
    public var path: String
    /// The query after the path, in the format of ``Request/queryStyle``.
    public var query: Query
    /// The headers, which have precedence over those of the request and of the client.
    public var headers: Headers
    /// The body.
    public var body: Body
    /// Texts that are redacted in all outputs of the request: see ``redacting(_:)``.
    package private(set) var secrets: [String] = []
    package let isDeclared: Bool
    /// A Boolean value that indicates whether the path certainly belongs to the base URL: it begins with a slash. Others
    /// may be whole URLs.
    package var isBelowBase: Bool { path.utf8.first == UInt8(ascii: "/") }

    /// Creates an endpoint, for methods without a function of their own and for methods that are known only at run
    /// time.
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

    /// The endpoint of a request that declares none. A call with it fails with ``RequestError/Code/noEndpoint``.
    public static let undeclared = Endpoint(
        method: .get, path: "", query: [:], headers: [:], body: .none, isDeclared: false)

    /// Returns the endpoint with values that all descriptions, logs and recordings of the request redact.
    ///
    /// ```swift
    /// let reset = Endpoint.post("/reset/\(code)").redacting(code)
    /// ```
    ///
    /// A value is redacted as a segment of the path. If it has at least eight bytes, it is redacted wherever it occurs as a
    /// whole word.
    public func redacting(_ values: String...) -> Endpoint {
        var endpoint = self
        endpoint.secrets += values.filter { !$0.isEmpty }
        return endpoint
    }

    /// Creates a `GET`, which reads and changes nothing.
    public static func get(_ path: String, query: Query = [:], headers: Headers = [:]) -> Endpoint {
        Endpoint(method: .get, path: path, query: query, headers: headers)
    }

    /// Creates a `HEAD`, whose response is that of a `GET` without the body.
    public static func head(_ path: String, query: Query = [:], headers: Headers = [:]) -> Endpoint {
        Endpoint(method: .head, path: path, query: query, headers: headers)
    }

    /// Creates a `POST`; see ``Body`` for the kinds of bodies.
    public static func post(
        _ path: String, query: Query = [:], headers: Headers = [:], body: Body = .none
    ) -> Endpoint {
        Endpoint(method: .post, path: path, query: query, headers: headers, body: body)
    }

    /// Creates a `PUT`, which is idempotent and so may be sent again; see ``Body``.
    public static func put(
        _ path: String, query: Query = [:], headers: Headers = [:], body: Body = .none
    ) -> Endpoint {
        Endpoint(method: .put, path: path, query: query, headers: headers, body: body)
    }

    /// Creates a `PATCH`; see ``Body``.
    public static func patch(
        _ path: String, query: Query = [:], headers: Headers = [:], body: Body = .none
    ) -> Endpoint {
        Endpoint(method: .patch, path: path, query: query, headers: headers, body: body)
    }

    /// Creates a `DELETE`, which is idempotent and so may be sent again.
    public static func delete(
        _ path: String, query: Query = [:], headers: Headers = [:], body: Body = .none
    ) -> Endpoint {
        Endpoint(method: .delete, path: path, query: query, headers: headers, body: body)
    }

    /// Creates an `OPTIONS`, which requests the options that the server allows.
    public static func options(_ path: String, query: Query = [:], headers: Headers = [:]) -> Endpoint {
        Endpoint(method: .options, path: path, query: query, headers: headers)
    }
}

extension Endpoint: CustomStringConvertible, CustomDebugStringConvertible {
    /// One line, without credentials: `GET /users?page=2&token=…`.
    public var description: String {
        let redaction = Redaction.standard.adding(secrets)
        let path = redaction.redact(reference: path)
        guard !query.isEmpty else { return "\(method) \(path)" }
        return "\(method) \(path)\(path.contains("?") ? "&" : "?")\(redaction.search.replacing(in: query.description))"
    }

    /// The line, the headers with redacted credentials, and the size of the body.
    public var debugDescription: String {
        var text = description
        if !headers.isEmpty { text += "\n\(Redaction.standard.adding(secrets).redact(headers))" }
        return body.isNone ? text : text + "\n(\(body))"
    }
}

extension Endpoint: CustomReflectable {
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "endpoint": description, "headers": Redaction.standard.adding(secrets).redact(headers),
                "body": body.description,
            ])
    }
}

import TangoURLSession

extension HTTPRequest {
    /// Creates the message of a `URLRequest`: its method, URL, header fields and body.
    ///
    /// ```swift
    /// let response = try await client.send(HTTPRequest(urlRequest))
    /// ```
    ///
    /// The cookies, timeouts and cache policy of the client apply. To use those of the `URLRequest`, send it with
    /// `client.request(urlRequest)`.
    ///
    /// - Throws: A ``RequestError`` if the URL is missing or relative, or if the body is an `InputStream`. Such a stream has one
    ///   reader, so Tango could not send it again.
    public init(_ urlRequest: URLRequest) throws {
        let url = try urlRequest.target
        let request = HTTPRequest(
            method: urlRequest.method, url: url, headers: urlRequest.fields, body: try urlRequest.body)
        _ = try ServerAddress(of: request)
        self = request
    }

    /// Returns the message as a `URLRequest`, for code that sends it with `URLSession`.
    ///
    /// Header fields with the same name become one field, because a `URLRequest` has a dictionary. A file becomes an
    /// `InputStream`, whose length is in the header field `Content-Length`.
    ///
    /// - Throws: A ``RequestError`` if the message is invalid, or if the body is a stream. A `URLRequest` sends a stream once only.
    public func urlRequest() throws -> URLRequest {
        var message = self
        try message.encode(body, with: .default)
        _ = try Self.everything.server(of: message, options: TransportOptions())
        var request = URLRequest(url: url)
        request.httpMethod = method.rawValue
        guard request.httpMethod == method.rawValue else {
            throw RequestError(
                .unsupported, phase: .prepare,
                detail: "URLRequest would send the method \(method) as \(request.httpMethod ?? "GET"): "
                    + "write it in capitals",
                request: self)
        }
        var length: Int?
        switch message.body.content {
        case .none: break
        case .data(let data): request.httpBody = data
        case .file(let url):
            length = try Self.length(of: url)
            request.httpBodyStream = InputStream(url: url)
        case .stream:
            throw RequestError(
                .unsupported, phase: .prepare,
                detail: "a URLRequest cannot hold the body, which is a stream: send the request with Tango, or use a "
                    + "body of data or a file",
                request: self)
        }
        let fields = SessionFields(
            message.headers, method: method, contentType: message.body.contentType,
            length: length.map { .known($0) } ?? .unknown, decodes: true, suppresses: false)
        for (name, value) in fields.fields { request.setValue(value, forHTTPHeaderField: name) }
        return request
    }

    private static func length(of file: URL) throws -> Int {
        do {
            return Int(try FileSource(file).count)
        } catch let error as RequestEncodingError {
            throw RequestError(error)
        }
    }

    /// The features of a `URLRequest`.
    private static let everything: TransportCapabilities = [.tls, .getBodies]
}

extension URLRequest {
    /// The method, as it was set.
    var method: HTTPMethod { HTTPMethod(httpMethod ?? "GET") }

    /// The header fields, in the order of their names.
    var fields: Headers {
        Headers((allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }

    /// The URL, which may be relative to the base URL of a client.
    var target: URL {
        get throws {
            if let url { return url.absoluteURL }
            throw RequestError(
                .badURL, phase: .prepare, detail: "the URLRequest has no URL: set its url before you send it")
        }
    }

    /// The body, without a type: the header fields have it.
    var body: Body {
        get throws {
            if let httpBody { return .data(httpBody) }
            guard httpBodyStream == nil else {
                throw RequestError(
                    .unsupported, phase: .prepare,
                    detail:
                        "the body of the URLRequest is an InputStream, which cannot be sent again: set httpBody, or "
                        + "create a request of Tango's with the body .file or .stream { … }")
            }
            return .none
        }
    }
}

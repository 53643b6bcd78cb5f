import TangoURLSession

extension HTTPResponse {
    /// Creates a response from that of a `URLSession`.
    ///
    /// The header fields are sorted by name, because `URLSession` has lost their order. Several `Set-Cookie` fields are separated
    /// again. `URLSession` decodes bodies, so the fields `Content-Encoding` and `Content-Length` of an encoded body are removed.
    ///
    /// - Parameters:
    ///   - urlResponse: The head of the response.
    ///   - body: The decoded body.
    ///   - request: The request of the response. If it is nil, a `GET` of the response's URL takes its place.
    public init(_ urlResponse: HTTPURLResponse, body: Data = Data(), request: HTTPRequest? = nil) {
        let fields = urlResponse.allHeaderFields.map { ("\($0.key)", "\($0.value)") }
        let head = SessionHead(
            status: urlResponse.statusCode, fields: Dictionary(fields, uniquingKeysWith: { first, _ in first })
        ).decoded
        self.init(
            status: HTTPStatus(head.status), headers: head.headers, body: body,
            request: request ?? urlResponse.url.map { HTTPRequest(url: $0) })
    }

    /// Returns the head of the response as an `HTTPURLResponse`, for code that expects one.
    ///
    /// Header fields with the same name become one field. The reason phrase, the trailers and the body are not part of it.
    ///
    /// - Throws: A ``RequestError`` if the response has no ``url``.
    public func urlResponse() throws -> HTTPURLResponse {
        let fields = SessionFields(joining: headers).fields
        guard let url,
            let response = HTTPURLResponse(
                url: url, statusCode: status.code, httpVersion: "\(version)",
                headerFields: Dictionary(fields.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first }))
        else {
            throw RequestError(
                .unsupported, phase: .prepare,
                detail: "an HTTPURLResponse needs a URL, and the response has none: set its request", response: self)
        }
        return response
    }
}

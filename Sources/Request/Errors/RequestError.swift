/// What went wrong with a request, where, and with which messages.
///
/// Its description never shows a secret: not the values of credentials, and nothing of a body.
public struct RequestError: Error, Sendable {
    /// What went wrong.
    public var code: Code
    /// How far the request had come.
    public var phase: Phase
    /// What exactly, in a sentence for developers.
    public var detail: String
    /// The request, as it was to be sent.
    public var request: HTTPRequest?
    /// The response, as far as there was one: its status, headers and body are kept.
    public var response: HTTPResponse?
    /// The error below this one.
    public var underlying: (any Error)?

    public init(
        _ code: Code, phase: Phase, detail: String, request: HTTPRequest? = nil, response: HTTPResponse? = nil,
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.phase = phase
        self.detail = detail
        self.request = request
        self.response = response
        self.underlying = underlying
    }

    static func tooLarge(limit: Int, response: HTTPResponse) -> RequestError {
        RequestError(
            .responseTooLarge, phase: .receive, detail: "the body has more than the \(limit) bytes that are allowed",
            request: response.request, response: response)
    }
}

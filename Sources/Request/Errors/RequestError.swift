/// What went wrong with a request, where, and with which messages.
///
/// Its description never shows a secret: not the values of credentials, and nothing of a body. What counts as a
/// credential is a value, ``redaction``.
///
/// ```swift
/// do {
///     user = try await fetch()
/// } catch let error as RequestError where error.code == .idleTimedOut {
///     user = nil
/// } catch let error as RequestError {
///     show(error.message)
/// }
/// ```
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
    /// The type of the request, such as `GetUser`; nil where there is no class for it.
    public internal(set) var declaration: String?
    /// Whether a newer call has replaced the call.
    var isReplaced = false
    /// The error below this one.
    public var underlying: (any Error)?
    /// What the server says about it in a form of its own, as an ``ErrorSerializer`` decoded it; see ``payload(as:)``.
    public var payload: (any Sendable)?
    /// What to tell the user, where a server or the application says so; it comes before the tables of ``message``.
    public var userMessage: String?
    /// The code with which the server refused, where it is in the body; see ``Validation``.
    public var businessCode: String?
    /// What the descriptions leave out.
    public var redaction = Redaction.standard

    /// For interceptors, transports and serializers. What is not asked for here can be set afterwards.
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

    /// What the server says about it, where it was decoded as this type.
    public func payload<Payload>(as type: Payload.Type = Payload.self) -> Payload? {
        payload as? Payload
    }

    /// - Parameter name: What the limit is called where it can be raised.
    static func tooLarge(
        limit: Int, response: HTTPResponse, _ name: String = "responseLimit of the request or its client"
    ) -> RequestError {
        RequestError(
            .responseTooLarge, phase: .receive,
            detail: "the body has more than \(limit) bytes, the \(name): raise it, or read the body as a stream",
            request: response.request, response: response)
    }
}

/// The error of a failed request, with both messages.
///
/// The description contains neither credentials nor any part of a body. The property ``redaction`` determines what
/// counts as a credential.
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
    /// The kind of error.
    public var code: Code {
        get { box.code }
        set { own.code = newValue }
    }

    /// The phase in which the request failed.
    public var phase: Phase {
        get { box.phase }
        set { own.phase = newValue }
    }

    /// The exact problem, in a sentence for developers.
    public var detail: String {
        get { box.detail }
        set { own.detail = newValue }
    }

    /// The request, in the form in which it was to be sent.
    public var request: HTTPRequest? {
        get { box.request }
        _modify { yield &own.request }
    }

    /// The response, if there was one, with its status, headers and body.
    public var response: HTTPResponse? {
        get { box.response }
        _modify { yield &own.response }
    }

    /// The times and sizes of the attempt that failed, as far as it came; nil if nothing was sent, or the transport does not
    /// know them.
    public var metrics: AttemptMetrics? {
        get { box.metrics }
        set { own.metrics = newValue }
    }

    /// The type of the request, such as `GetUser`; nil for a request without a class.
    public package(set) var declaration: String? {
        get { box.declaration }
        set { own.declaration = newValue }
    }

    /// A Boolean value that indicates whether a newer call has replaced the call.
    package var isReplaced: Bool {
        get { box.isReplaced }
        set { own.isReplaced = newValue }
    }

    /// The decision after the last attempt failed, such as that the retry budget is used up; nil if none was made.
    public package(set) var retryDecision: RetryDecision? {
        get { box.retryDecision }
        set { own.retryDecision = newValue }
    }

    /// The underlying error.
    public var underlying: (any Error)? {
        get { box.underlying }
        set { own.underlying = newValue }
    }

    /// The error body of the server, decoded by an ``ErrorSerializer``; see ``payload(as:)``.
    public var payload: (any Sendable)? {
        get { box.payload }
        set { own.payload = newValue }
    }

    /// The message of the server or the application for the user. It has precedence over the tables of ``message``.
    public var userMessage: String? {
        get { box.userMessage }
        set { own.userMessage = newValue }
    }

    /// The code in the body by which the server refused the request; see ``Validation``.
    public var businessCode: String? {
        get { box.businessCode }
        set { own.businessCode = newValue }
    }

    /// The values that the descriptions redact.
    public var redaction: Redaction {
        get { box.redaction }
        set { own.redaction = newValue }
    }

    /// The properties, in one object, because an error is often passed on and rarely changed.
    private var box: Box

    /// The properties, copied if another error shares them.
    private var own: Box {
        mutating get {
            if !isKnownUniquelyReferenced(&box) { box = Box(copying: box) }
            return box
        }
    }

    private final class Box: @unchecked Sendable {
        // Unchecked: the properties change only while a single error references them.
        var code: Code
        var phase: Phase
        var detail: String
        var request: HTTPRequest?
        var response: HTTPResponse?
        var metrics: AttemptMetrics?
        var declaration: String?
        var isReplaced = false
        var retryDecision: RetryDecision?
        var underlying: (any Error)?
        var payload: (any Sendable)?
        var userMessage: String?
        var businessCode: String?
        var redaction: Redaction

        init(
            _ code: Code, _ phase: Phase, _ detail: String, _ request: HTTPRequest?, _ response: HTTPResponse?,
            _ underlying: (any Error)?, _ redaction: Redaction
        ) {
            self.code = code
            self.phase = phase
            self.detail = detail
            self.request = request
            self.response = response
            self.underlying = underlying
            self.redaction = redaction
        }

        convenience init(copying box: Box) {
            self.init(box.code, box.phase, box.detail, box.request, box.response, box.underlying, box.redaction)
            metrics = box.metrics
            declaration = box.declaration
            isReplaced = box.isReplaced
            retryDecision = box.retryDecision
            payload = box.payload
            userMessage = box.userMessage
            businessCode = box.businessCode
        }
    }

    /// Creates an error, for interceptors, transports and serializers. You can set the other properties afterwards.
    @inline(never)
    public init(
        _ code: Code, phase: Phase, detail: String, request: HTTPRequest? = nil, response: HTTPResponse? = nil,
        underlying: (any Error)? = nil
    ) {
        box = Box(code, phase, detail, request, response, underlying, request?.redaction ?? .standard)
    }

    /// Returns the error body of the server, if it was decoded as this type.
    public func payload<Payload>(as type: Payload.Type = Payload.self) -> Payload? {
        payload as? Payload
    }

    /// - Parameter name: The name of the limit, for advice in the error.
    package static func tooLarge(
        limit: Int, response: HTTPResponse, _ name: String = "responseLimit of the request or its client"
    ) -> RequestError {
        RequestError(
            .responseTooLarge, phase: .receive,
            detail: "the body has more than \(limit) bytes, the \(name): raise it, or read the body as a stream",
            request: response.request, response: response)
    }
}

extension RequestError {
    /// The phase in which a request failed.
    public enum Phase: String, Hashable, Sendable, CaseIterable {
        /// The request is built. Nothing is sent.
        case prepare
        /// The connection is established.
        case connect
        /// The request is sent.
        case send
        /// The client waits for the head of the response.
        case wait
        /// The body of the response is received.
        case receive
        /// The complete response is validated and decoded.
        case decode
    }
}

extension RequestError: LocalizedError {
    /// The sentence for the user, which `localizedDescription` returns.
    public var errorDescription: String? { message }

    /// The sentence for developers.
    public var failureReason: String? { redaction.knowing(request, response).redact(text: detail) }
}

extension RequestError {
    /// Creates an error for a URL, a query or a body that cannot be encoded.
    package init(_ error: RequestEncodingError) {
        let code: Code =
            switch error.code {
            case .noBase: .noBaseURL
            case .unsupportedValue, .noNames, .tooDeep: .notEncodable
            case .badHeader, .fileMissing, .fileUnreadable, .fileChanged: .badBody
            default: .badURL
            }
        self.init(code, phase: .prepare, detail: error.message, underlying: error)
    }
}

extension Error {
    /// This error as a ``RequestError``, or nil if it is an error of another type.
    ///
    /// ```swift
    /// show(error.asRequestError?.message ?? "\(error)")
    /// ```
    public var asRequestError: RequestError? { self as? RequestError }
}

/// An exchange that is written to a recording later. It shares the bodies with its call.
struct RecordedExchange: Sendable {
    /// The attempt; nil for a response from the cache.
    let attempt: Attempt?
    /// The request with its body; nil if the call has none.
    let request: HTTPRequest?
    /// The response; nil if the attempt has none.
    let response: HTTPResponse?
    /// False if the body of the response was streamed.
    let hasBody: Bool
    let call: UInt64
    /// The type of the request.
    let declaration: String?
    /// The rules by which secrets are found, without the secrets of these messages.
    let redaction: Redaction
    let time = Date.now
    let instant = ContinuousClock.now

    init(_ attempt: Attempt, _ response: HTTPResponse?, hasBody: Bool, of call: AnyCall) {
        self.init(attempt, Self.request(of: attempt, response, call), response, hasBody: hasBody, of: call)
    }

    /// Creates the exchange of a response from the cache.
    init(cached response: HTTPResponse, of call: AnyCall) {
        self.init(nil, response.request ?? call.core.newestRequest, response, hasBody: true, of: call)
    }

    private init(
        _ attempt: Attempt?, _ request: HTTPRequest?, _ response: HTTPResponse?, hasBody: Bool, of call: AnyCall
    ) {
        self.attempt = attempt
        self.request = request
        self.response = response
        self.hasBody = hasBody
        self.call = call.id
        declaration = call.core.plan.declaration
        redaction = call.core.plan.redaction ?? .standard
    }

    /// Returns the request of an attempt with its body, which the log of attempts does not have.
    private static func request(of attempt: Attempt, _ response: HTTPResponse?, _ call: AnyCall) -> HTTPRequest {
        var request = attempt.request
        if let message = response?.request ?? call.core.exchanged.request, message.method == request.method {
            request.body = message.body
        }
        return request
    }

    /// The number of bytes of its bodies in memory, and about as many as the rest has.
    var size: Int {
        var size = 2_048 + (response?.body.count ?? 0)
        if case .data(let data)? = request?.body.legible { size += data.count }
        return size
    }
}

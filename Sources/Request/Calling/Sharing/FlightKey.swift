/// The properties that calls must have in common to share a transfer: all sent bytes, the way in which they are sent, and what
/// descriptions redact.
struct FlightKey: Hashable, Sendable {
    private enum Target: Hashable {
        /// The message follows from the endpoint of the plan, whose query is encoded here.
        case endpoint(query: ExactString)
        case message(HTTPMethod, url: ExactString, Headers, body: Data?)
    }

    private let target: Target
    private let plan: CommonPlan
    /// The additions of the client to the request, such as its cookies.
    private let marks: [ExactString]
    /// A Boolean value that indicates whether the call has observers, for which the transport reports events.
    private let isObserved: Bool

    /// Nil for calls that send alone: they may change something, have a body that is not in memory, stream the response, or
    /// have credentials of an unknown user.
    init?(_ message: HTTPRequest, of call: CallCore) {
        let body: Data?
        switch message.body.content {
        case .none: body = nil
        case .data(let data): body = data
        case .file, .stream: return nil
        }
        self.init(
            .message(message.method, url: ExactString(message.url.absoluteString), message.headers, body: body),
            message.method, of: call, sending: { message })
    }

    /// Creates the key without the message. Nil also if the key depends on the message.
    init?(of call: CallCore) {
        let plan = call.plan
        guard !plan.isMessage, plan.isQuick, let query = try? plan.endpoint.query.encoded(plan.queryStyle)
        else { return nil }
        self.init(
            .endpoint(query: ExactString(query)), plan.endpoint.method, of: call, sending: { try plan.message() })
    }

    private init?(
        _ target: Target, _ method: HTTPMethod, of call: CallCore, sending message: () throws -> HTTPRequest
    ) {
        let plan = call.plan
        guard method == .get || method == .head || method == .options, plan.delivery != .stream,
            let marks = try? plan.client.pipeline.marks(of: message, for: plan)
        else { return nil }
        self.target = target
        self.plan = plan
        self.marks = marks
        isObserved = call.isObserved
    }

    @inline(never)
    static func == (one: FlightKey, other: FlightKey) -> Bool {
        one.isObserved == other.isObserved && one.target == other.target && one.marks == other.marks
            && (one.isMessage || one.plan.hasEndpoint(like: other.plan)) && one.plan.settings == other.plan.settings
            && one.plan.redaction == other.plan.redaction
    }

    private var isMessage: Bool {
        if case .message = target { true } else { false }
    }

    /// Hashes only the property that tells most keys apart.
    func hash(into hasher: inout Hasher) {
        switch target {
        case .endpoint(let query):
            hasher.combine(ExactString(plan.endpoint.path))
            hasher.combine(query)
        case .message(_, let url, _, _): hasher.combine(url)
        }
    }
}

extension CommonPlan {
    /// Returns whether the endpoint is that of another plan, apart from its query and its body.
    fileprivate func hasEndpoint(like other: CommonPlan) -> Bool {
        self.endpoint.path.hasSameBytes(as: other.endpoint.path) && self.endpoint.method == other.endpoint.method
            && self.headers == other.headers && self.endpoint.headers == other.endpoint.headers
    }
}

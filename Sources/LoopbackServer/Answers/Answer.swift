/// What the server answers: a status, headers and a body as they will be on the wire, and what goes wrong on the way.
///
/// Make one with a leading dot, and change it by the methods that follow:
///
/// ```swift
/// server.answer("/users/1", with: .json(#"{"id": 1}"#).header("ETag", "\"1\""))
/// server.answer("/users", method: "POST", with: .status(201).header("Location", "/users/2"))
/// server.answer("/large", with: .generated(bytes: 100_000_000).chunked(size: 65_536))
/// server.answer("/slow", with: .text("at last").delayed(by: .seconds(1)))
/// server.enqueue(.status(503), .text("ok").failing(.reset, at: .responseBody))
/// ```
///
/// The server writes the head as it is given, and adds what is needed to read the body: `Content-Length`, or
/// `Transfer-Encoding: chunked`, unless there is a line of one of these names already. Nothing else is added: no date, no
/// name of a server; `Connection: close` where the connection ends behind the answer. Answers to HEAD, and those with a
/// status of 204 or 304, have no body.
public struct Answer: Sendable {
    public var status: Int
    /// The text behind the status: nil for the usual one, and "" for none, not even the space before it.
    public var reason: String?
    /// `HTTP/1.1`, unless it shall be something else.
    public var version = "HTTP/1.1"
    public var headers: HeaderLines
    public var body: Body
    /// How the client learns where the body ends.
    public var framing = Framing.automatic
    /// Header lines behind the last chunk. They make the body chunked.
    public var trailers = HeaderLines()

    /// Answers with a status of 1xx that go before, with their headers.
    var informational: [(status: Int, headers: HeaderLines)] = []
    var actions: [Action] = []
    var throttle: Throttle?
    /// Whether the answer does not wait for the body of the request.
    var isEarly = false
    /// Whether `Expect: 100-continue` gets the 100 it waits for.
    var continues = true
    /// Whether the connection ends behind the answer.
    var closes = false

    public init(status: Int = 200, reason: String? = nil, headers: HeaderLines = [:], body: Body = .none) {
        self.status = status
        self.reason = reason
        self.headers = headers
        self.body = body
    }

    /// What is to happen at a moment.
    struct Action: Sendable {
        enum Kind: Sendable {
            case pause(Duration)
            case hold(Gate)
            case fail(Fault.Effect)
        }

        let moment: Fault.Moment
        let kind: Kind
    }

    func actions(at moment: Fault.Moment) -> [Step] {
        guard !actions.isEmpty else { return [] }
        return actions.filter { $0.moment == moment }.map { .action($0.kind) }
    }
}

/// A response of the server: a status, headers and a body, with optional faults, delays and gates.
///
/// Make one with a leading dot, and change it with methods:
///
/// ```swift
/// server.answer("/users/1", with: .json(#"{"id": 1}"#).header("ETag", "\"1\""))
/// server.answer("/users", method: "POST", with: .status(201).header("Location", "/users/2"))
/// server.answer("/large", with: .generated(bytes: 100_000_000).chunked(size: 65_536))
/// server.answer("/slow", with: .text("at last").delayed(by: .seconds(1)))
/// server.enqueue(.status(503), .text("ok").failing(.reset, at: .responseBody))
/// ```
///
/// The server writes the head as it is given. It adds `Content-Length` or `Transfer-Encoding: chunked`, unless a line
/// has one of these names already. It adds `Connection: close` if the connection closes after the response, and
/// `Connection: keep-alive` if a client of HTTP/1.0 named it. It adds nothing else: no date, no name of a server.
/// Responses to HEAD, and those with a status of 204 or 304, have no body.
public struct Response: Sendable {
    public var status: Int
    /// The reason phrase; nil for the usual one. With "", the line ends right after the status, without a space.
    public var reason: String?
    /// The version in the status line.
    public var version = "HTTP/1.1"
    public var headers: HeaderLines
    public var body: Body
    /// The way in which the client finds the end of the body.
    public var framing = Framing.automatic
    /// Header lines after the last chunk. They make the body chunked.
    public var trailers = HeaderLines()

    /// The statuses and headers of the 1xx responses before this one.
    var informational: [(status: Int, headers: HeaderLines)] = []
    var actions: [Action] = []
    var throttle: Throttle?
    /// A Boolean value that indicates whether the response does not wait for the body of the request.
    var isEarly = false
    /// A Boolean value that indicates whether the server sends a 100 for `Expect: 100-continue`.
    var continues = true
    /// A Boolean value that indicates whether the connection closes after the response.
    var closes = false

    public init(status: Int = 200, reason: String? = nil, headers: HeaderLines = [:], body: Body = .none) {
        self.status = status
        self.reason = reason
        self.headers = headers
        self.body = body
    }

    /// A delay, a gate or a fault at a moment.
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

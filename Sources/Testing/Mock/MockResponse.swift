/// A response or a failure of a ``MockTransport``.
///
/// ```swift
/// mock.stub(.get, "/users/{id}", .json(["id": 1, "name": "Ada"]))
/// mock.stub(.get, "/slow", .text("late").delayed(.seconds(2)))
/// mock.stub(.get, "/down", .failure(.connectionLost))
/// ```
public struct MockResponse: Sendable {
    enum Content: Sendable {
        case message(HTTPResponse)
        /// The body arrives in portions, with time between them, and may end with an error.
        case portions(HTTPResponse, [Data], every: Duration, RequestError.Code?)
        case file(URL, HTTPResponse)
        case value(@Sendable () throws -> Data, HTTPResponse)
        case failure(RequestError.Code)
        case never
        case made(@Sendable (HTTPRequest) throws -> MockResponse)
    }

    var content: Content
    var delay = Duration.zero
    private var changes: [@Sendable (inout HTTPResponse) -> Void] = []

    init(_ content: Content) {
        self.content = content
    }

    // MARK: Content

    /// JSON as a literal.
    public static func json(_ value: JSONValue) -> MockResponse {
        self.value(value)
    }

    /// A value that is encoded as JSON.
    ///
    /// - Parameters:
    ///   - value: The value. If it cannot be encoded, the request fails with its error.
    ///   - encoder: The encoder; by default one with dates in ISO 8601.
    public static func value(_ value: some Encodable & Sendable, encoder: JSONEncoder? = nil) -> MockResponse {
        MockResponse(
            .value({ try (encoder ?? JSONCoding.makeDefaultEncoder()).encode(value) }, message("application/json")))
    }

    /// A text in UTF-8.
    public static func text(_ text: String, type: MIMEType = "text/plain; charset=utf-8") -> MockResponse {
        data(Data(text.utf8), type: type)
    }

    /// Bytes, by default without a type.
    public static func data(_ data: Data, type: MIMEType? = nil) -> MockResponse {
        var response = message(type.map { "\($0)" })
        response.body = data
        return MockResponse(.message(response))
    }

    /// The content of a file, which is read for each request. Its extension is the type.
    public static func file(_ file: URL) -> MockResponse {
        MockResponse(.file(file, message(MIMEType(fileName: file.lastPathComponent).map { "\($0)" })))
    }

    /// A status without a body.
    public static func status(_ status: HTTPStatus) -> MockResponse {
        MockResponse(.message(HTTPResponse(status: status)))
    }

    /// A whole response.
    public static func response(_ response: HTTPResponse) -> MockResponse {
        MockResponse(.message(response))
    }

    /// The response of a recording: see ``Recording``. If the recording does not have its body, the request fails.
    public static func recorded(_ exchange: Recording.Exchange) -> MockResponse {
        if exchange.isCancelled, exchange.response == nil { return never }
        guard exchange.isComplete else {
            let problem = MockProblem(
                "the recording does not have the body of \(exchange): record a request that takes the whole body")
            return made { _ in throw problem }
        }
        return response(of: exchange)
    }

    private static func response(of exchange: Recording.Exchange) -> MockResponse {
        exchange.response.map(response) ?? failure(exchange.error ?? .connectionLost)
    }

    /// A body that arrives in portions.
    ///
    /// - Parameters:
    ///   - portions: The portions.
    ///   - interval: The time before each portion but the first one.
    ///   - error: The code of an error that follows instead of the end.
    public static func portions(
        _ portions: [String], every interval: Duration = .zero, thenFailing error: RequestError.Code? = nil
    ) -> MockResponse {
        MockResponse(
            .portions(message(nil), portions.filter { !$0.isEmpty }.map { Data($0.utf8) }, every: interval, error))
    }

    /// The response that a closure makes of the request, with its body. If it throws, the request fails with that error.
    public static func made(_ make: @escaping @Sendable (HTTPRequest) throws -> MockResponse) -> MockResponse {
        MockResponse(.made(make))
    }

    // MARK: Failures

    /// An error without a response, such as `RequestError.Code.connectionLost`.
    public static func failure(_ code: RequestError.Code) -> MockResponse {
        MockResponse(.failure(code))
    }

    /// No response, until a timeout passes or the request is cancelled.
    public static let never = MockResponse(.never)

    // MARK: Changes

    /// Returns a copy that begins after some time on the clock.
    public func delayed(_ delay: Duration) -> MockResponse {
        var copy = self
        copy.delay += delay
        return copy
    }

    /// Returns a copy with a status.
    public func status(_ status: HTTPStatus) -> MockResponse {
        changed {
            $0.status = status
            $0.reason = ""
        }
    }

    /// Returns a copy with a header, which replaces those with the same name.
    public func header(_ name: String, _ value: String) -> MockResponse {
        changed { $0.headers[name] = value }
    }

    private func changed(_ change: @escaping @Sendable (inout HTTPResponse) -> Void) -> MockResponse {
        var copy = self
        copy.changes.append(change)
        return copy
    }

    // MARK: Inside

    private static func message(_ type: String?) -> HTTPResponse {
        HTTPResponse(status: .ok, headers: type.map { ["Content-Type": $0] } ?? [:])
    }

    /// Returns the parts in which a response arrives. A closure is called, and a file is read.
    func parts(for request: HTTPRequest) throws -> (MockMessage, delay: Duration) {
        var (message, extra) = try content.parts(for: request)
        message.head = changed(message.head).asReceived
        return (message, delay + extra)
    }

    /// Returns a response with the status and the headers that were set later.
    func changed(_ response: HTTPResponse) -> HTTPResponse {
        changes.reduce(into: response) { response, change in change(&response) }
    }
}

extension HTTPResponse {
    /// The head as a transport receives it: with the reason phrase of HTTP/1, and without blanks around the values of headers.
    fileprivate var asReceived: HTTPResponse {
        var response = self
        if version != .http1_0, version != .http1_1 {
            response.reason = ""
        } else if reason.isEmpty {
            response.reason = status.registeredName ?? ""
        }
        let isBlank = { (byte: UInt8?) in byte?.isFieldBlank ?? false }
        if headers.contains(where: { isBlank($0.value.utf8.first) || isBlank($0.value.utf8.last) }) {
            response.headers = Headers(headers.map { ($0.name, String($0.value[...].withoutBlanks)) })
        }
        return response
    }
}

/// The parts of a response of a test.
struct MockMessage: Sendable {
    enum End: Sendable {
        case whole
        case failure(RequestError.Code, String)
        case never

        /// The failure that a stub asks for.
        static func failure(_ code: RequestError.Code) -> End { .failure(code, "the test wants this error") }
    }

    var head: HTTPResponse
    var portions: [Data] = []
    var interval = Duration.zero
    var end = End.whole
    /// False if there is no response at all.
    var hasHead = true
}

extension MockResponse.Content {
    fileprivate func parts(for request: HTTPRequest) throws -> (MockMessage, Duration) {
        func whole(_ response: HTTPResponse, _ body: Data) -> (MockMessage, Duration) {
            var head = response
            head.body = Data()
            return (MockMessage(head: head, portions: body.isEmpty ? [] : [body]), .zero)
        }
        let none = HTTPResponse(status: .ok)
        switch self {
        case .message(let response): return whole(response, response.body)
        case .portions(let head, let portions, let interval, let code):
            let end = code.map { MockMessage.End.failure($0) } ?? .whole
            return (MockMessage(head: head, portions: portions, interval: interval, end: end), .zero)
        case .file(let file, let response):
            do {
                return whole(response, try Data(contentsOf: file))
            } catch {
                throw MockProblem(
                    "the file \(file.path.debugDescription) of the response cannot be read: check its path")
            }
        case .value(let encode, let response): return whole(response, try encode())
        case .failure(let code): return (MockMessage(head: none, end: .failure(code), hasHead: false), .zero)
        case .never: return (MockMessage(head: none, end: .never, hasHead: false), .zero)
        case .made(let make):
            let (message, delay) = try make(request).parts(for: request)
            return (message, delay)
        }
    }
}

extension MockResponse: CustomStringConvertible {
    /// Such as `status 503, after 2 s`, without headers and body.
    public var description: String {
        let text =
            switch content {
            case .message(let response), .value(_, let response), .file(_, let response):
                "status \(changed(response).status)"
            case .portions(let head, let portions, _, let code):
                "status \(changed(head).status) in \(portions.count) portions" + (code.map { ", then \($0)" } ?? "")
            case .failure(let code): "\(code)"
            case .never: "never"
            case .made: "made of the request"
            }
        return delay > .zero ? "\(text), after \(delay.text)" : text
    }
}

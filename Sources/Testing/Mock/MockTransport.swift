import Synchronization

/// A transport for tests and previews, which responds without a network.
///
/// ```swift
/// let mock = MockTransport()
/// mock.stub(.get, "/users/{id}", .json(["id": 1, "name": "Ada"]))
/// let api = Client(baseURL: url) { $0.transport = mock }
/// ```
///
/// Stubs have the responses. Several responses of a stub are a sequence, whose last one is repeated. A newer stub has
/// priority over an older one. Without a stub, a request fails with `RequestError.Code.noStub`, and its error names the
/// nearest stub.
///
/// Delays and timeouts pass on the clock of the client, so that a test can advance a `ManualClock`. A request that real
/// transports refuse is refused here too.
///
/// **Threads.** Each transport has its own stubs, so tests can run at the same time. Use one from any thread.
public final class MockTransport: Transport {
    fileprivate struct State {
        var stubs: [MockStub] = []
        var requests: [HTTPRequest] = []
        var misses: [String] = []
        var tasks: [Int: Task<Void, Never>] = [:]
        /// The responses whose bodies may still be read.
        var playbacks: [Weak] = []
        var started = 0
        var isShutDown = false
    }

    /// A response that its reader holds.
    fileprivate struct Weak: Sendable {
        weak let playback: MockPlayback?
    }

    public let capabilities: TransportCapabilities
    private let state = Mutex(State())

    /// Creates a transport without stubs.
    ///
    /// - Parameter capabilities: The features; by default those of a transport that can do everything.
    public init(capabilities: TransportCapabilities = .ofMocks) {
        self.capabilities = capabilities
        MockRegistry.add(self)
    }

    // MARK: Stubs

    /// Adds responses for requests with a method and a URL.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - url: A path, which the path of the URL has or ends with, or a whole URL. `{name}` and `*` stand for one segment,
    ///     and `**` for any number. A query names the items that a request must have. Without it, any query matches.
    ///   - responses: The responses, in order; a single status 200 without a body by default.
    ///   - fileID: The file of the stub, for ``verify()``.
    ///   - line: The line of the stub.
    public func stub(
        _ method: HTTPMethod, _ url: String, _ responses: MockResponse..., fileID: String = #fileID, line: Int = #line
    ) {
        do throws(MockProblem) {
            add(.pattern(method, try MockPattern(url)), responses, fileID, line)
        } catch {
            add(.invalid(method, error), responses, fileID, line)
        }
    }

    /// Adds responses for the requests to which a condition applies.
    ///
    /// - Parameters:
    ///   - condition: Returns whether the stub is one for a request. It may run for each request, in any order.
    ///   - responses: The responses, in order; a single status 200 without a body by default.
    ///   - fileID: The file of the stub, for ``verify()``.
    ///   - line: The line of the stub.
    public func stub(
        where condition: @escaping @Sendable (HTTPRequest) -> Bool, _ responses: MockResponse...,
        fileID: String = #fileID,
        line: Int = #line
    ) {
        add(.closure(condition), responses, fileID, line)
    }

    func add(_ condition: MockStub.Condition, _ responses: [MockResponse], _ file: String, _ line: Int) {
        let responses = responses.isEmpty ? [.status(.ok)] : responses
        state.withLock {
            $0.stubs.append(MockStub(condition: condition, responses: responses, place: "\(file):\(line)"))
        }
    }

    var stubs: [MockStub] { state.withLock(\.stubs) }

    // MARK: Results

    /// The requests, in the order in which they began, with the bodies that were read from them, and with the headers about
    /// these bodies, which transports add.
    public var requests: [HTTPRequest] { state.withLock(\.requests) }

    /// Throws an error that lists the requests without a stub, the stubs without a request, and the stubs with mistakes, if
    /// there are any.
    ///
    /// Call it at the end of a test. In Swift Testing and in XCTest alike, a test that throws fails with the description of
    /// the error.
    public func verify() throws(MockVerificationError) {
        let (stubs, misses) = state.withLock { ($0.stubs, $0.misses) }
        var lines = misses.map { "no stub for \($0)" }
        for stub in stubs where stub.uses == 0 {
            if case .invalid(_, let problem) = stub.condition {
                lines.append("\(problem.text) (\(stub.place))")
            } else {
                lines.append("no request for the stub \(stub.name) (\(stub.place))")
            }
        }
        if !lines.isEmpty { throw MockVerificationError(problems: lines) }
    }

    // MARK: Transport

    public func start(
        _ request: HTTPRequest, options: TransportOptions, completion: @escaping TransportCompletion
    ) -> TransportTask {
        if let refusal = capabilities.refusal(of: request, options: options) {
            completion { throw refusal }
            return .completed
        }
        let request = request.asSent
        // Conditions are closures of the test, and run outside the lock.
        let choice = MockChoice(request, options.requestType, from: stubs)
        let task = state.withLock { state -> Task<Void, Never>? in
            guard !state.isShutDown else { return nil }
            state.started += 1
            let number = state.started
            state.requests.append(request)
            let response = state.take(choice, request)
            let task = Task { [self] in
                let outcome: Result<HTTPResponse, any Error>
                do {
                    outcome = .success(try await exchange(request, number, response, options))
                } catch {
                    outcome = .failure(error)
                }
                end(number, outcome, request, completion)
            }
            state.tasks[number] = task
            return task
        }
        guard let task else {
            completion { throw RequestError.shutDown(request) }
            return .completed
        }
        return TransportTask { task.cancel() }
    }

    public func shutdown() async {
        let (tasks, playbacks) = state.withLock { state in
            state.isShutDown = true
            return (Array(state.tasks.values), state.playbacks)
        }
        for task in tasks { task.cancel() }
        for playback in playbacks { playback.playback?.shutDown() }
        for task in tasks { await task.value }
    }

    private func exchange(
        _ request: HTTPRequest, _ number: Int, _ response: Result<MockResponse, RequestError>,
        _ options: TransportOptions
    ) async throws -> HTTPResponse {
        if let refusal = options.timeouts.refusal {
            throw RequestError(refusal.code, phase: .prepare, detail: refusal.detail, request: request)
        }
        let response = try response.get()
        var request = request
        options.progress?.phase = .send
        let total = request.body.knownLength
        let body = try await request.body.bytes { sent in
            options.progress?.note { ($0.sent, $0.sentTotal) = (sent, total) }
            options.onEvent?(.sent(bytes: sent, of: total))
        }
        if let body {
            request.body = .data(body, contentType: request.body.contentType)
            state.withLock { [request] in $0.requests[number - 1] = request }
        }
        var (message, delay) = try response.parts(for: request)
        message.decode(for: request, hasBody: request.method != .head && !message.head.isBodiless, options)
        let playback = MockPlayback(
            message, to: request, sent: body?.count ?? 0, options, clock: options.clock ?? ContinuousClock())
        if options.delivery == .stream {
            state.withLock { state in
                state.playbacks.removeAll { $0.playback == nil }
                state.playbacks.append(Weak(playback: playback))
            }
        }
        return try await playback.response(after: delay)
    }

    private func end(
        _ number: Int, _ outcome: Result<HTTPResponse, any Error>, _ request: HTTPRequest,
        _ completion: TransportCompletion
    ) {
        let isShutDown = state.withLock { state in
            state.tasks[number] = nil
            return state.isShutDown
        }
        completion {
            do {
                return try outcome.get()
            } catch is CancellationError {
                throw isShutDown ? RequestError.shutDown(request) : CancellationError()
            } catch let error as MockProblem {
                throw RequestError(.noStub, phase: .prepare, detail: error.text, request: request)
            } catch let error as RequestError {
                throw error.with(request)
            }
        }
    }
}

extension MockTransport.State {
    /// Records the use of a stub, or the request without one.
    fileprivate mutating func take(_ choice: MockChoice, _ request: HTTPRequest) -> Result<MockResponse, RequestError> {
        switch choice {
        case .stub(let index): return .success(stubs[index].next())
        case .miss(let text):
            misses.append("\(request.method) \(request.redaction.redact(request.url)): \(text)")
            return .failure(
                RequestError(
                    .noStub, phase: .prepare, detail: "no stub matches this request: \(text)", request: request))
        }
    }
}

extension HTTPRequest {
    /// The request with the headers that transports add for its body.
    fileprivate var asSent: HTTPRequest {
        guard !body.isNone else { return self }
        var request = self
        if let type = body.contentType, !headers.contains("Content-Type") { request.headers["Content-Type"] = type }
        request.headers["Content-Length"] = body.knownLength.map { "\($0)" }
        return request
    }
}

extension RequestError {
    static func shutDown(_ request: HTTPRequest) -> RequestError {
        RequestError(
            .shutDown, phase: .prepare, detail: "the transport was shut down: create a new transport", request: request)
    }
}

extension TransportCapabilities {
    /// The features of ``MockTransport``: all that need no connection.
    public static let ofMocks: TransportCapabilities = [
        .tls, .customTrust, .http2, .http3, .responseBackPressure, .requestBackPressure, .trailers, .exactHeaders,
        .getBodies, .decompressionControl,
    ]
}

/// The differences between a test and its stubs: see ``MockTransport/verify()``.
public struct MockVerificationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A line for each difference.
    public let problems: [String]

    public var description: String {
        (["the requests differ from the stubs:"] + problems.map { "  \($0)" }).joined(separator: "\n")
    }
}

extension MockTransport: CustomStringConvertible {
    /// The number of requests so far.
    public var description: String { "MockTransport, \(requests.count) requests" }
}

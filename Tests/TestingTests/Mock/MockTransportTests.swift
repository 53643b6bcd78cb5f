import Foundation
import Synchronization
import TangoPromise
import TangoRequest
import TangoTesting
import Testing

@testable import TestSupport

private struct User: Codable, Sendable, Equatable {
    var id: Int
    var name: String
}

/// Responses of tests, without a network.
@Suite(.timeLimit(.minutes(20)))
struct MockTransportTests {
    private let mock = MockTransport()
    private let clock = ManualClock()
    private let client: Client

    init() {
        let (mock, clock) = (mock, clock)
        client = Client(baseURL: URL(string: "https://api.example.com/v1")) {
            $0.transport = mock
            $0.clock = clock
            $0.retryPolicy = .never
        }
    }

    private final class GetUser: Request<User> {
        private let id: Int
        private let owner: Client
        init(_ id: Int, of owner: Client) {
            self.id = id
            self.owner = owner
        }
        override var client: Client { owner }
        override var endpoint: Endpoint { .get("/users/\(id)") }
    }

    private func text(_ path: String) async throws -> String {
        try await client.get(path, as: String.self).value
    }

    // MARK: Responses

    @Test func responsesHaveTheirContent() async throws {
        let files = ScratchFiles()
        let file = files.url.appendingPathComponent("a.json")
        try Data(#"{"id":3,"name":"File"}"#.utf8).write(to: file)
        mock.stub(.get, "/literal", .json(["id": 1, "name": "Ada"]))
        mock.stub(.get, "/value", .value(User(id: 2, name: "Bob")))
        mock.stub(.get, "/file", .file(file))
        mock.stub(.get, "/text", .text("hello").status(203).header("X-Mark", "m"))
        mock.stub(.get, "/bytes", .data(Data([1, 2]), type: "image/png"))
        mock.stub(.get, "/made", .made { request in .text("\(request.url.path)") })
        #expect(try await client.get("/literal", as: User.self).value == User(id: 1, name: "Ada"))
        #expect(try await client.get("/value", as: User.self).value == User(id: 2, name: "Bob"))
        #expect(try await client.get("/file", as: User.self).value == User(id: 3, name: "File"))
        let response = try await client.send(HTTPRequest(url: #require(URL(string: "https://api.example.com/v1/text"))))
        #expect(response.status == 203)
        #expect(response.headers["X-Mark"] == "m")
        #expect(response.headers["Content-Type"] == "text/plain; charset=utf-8")
        #expect(try await client.get("/bytes", as: Data.self).value == Data([1, 2]))
        #expect(try await text("/made") == "/v1/made")
        try mock.verify()
    }

    @Test func requestTypeSelectsTheStub() async throws {
        mock.stub(GetUser.self, value: User(id: 1, name: "Ada"))
        #expect(try await GetUser(1, of: client).promise.value.name == "Ada")
        #expect(try await failure { try await client.get("/users/1", as: User.self).value }.code == .noStub)
    }

    @Test func sequenceRepeatsItsLastResponse() async throws {
        mock.stub(.get, "/a", .text("1"), .text("2"))
        var texts: [String] = []
        for _ in 1...3 { texts.append(try await text("/a")) }
        #expect(texts == ["1", "2", "2"])
    }

    @Test func retriesTakeTheNextResponse() async throws {
        mock.stub(.get, "/a", .status(503), .failure(.connectionLost), .text("ok"))
        let client = client.with {
            $0.retryPolicy = .exponential(attempts: 3, base: .zero, cap: .zero)
        }
        #expect(try await client.get("/a", as: String.self).value == "ok")
        #expect(mock.requests.count == 3)
    }

    @Test func stubWithoutAResponseIs200() async throws {
        mock.stub(.delete, "/a")
        let response = try await client.send(
            HTTPRequest(method: .delete, url: #require(URL(string: "https://api.example.com/a"))))
        #expect(response.status == 200)
        #expect(response.body.isEmpty)
    }

    @Test func bodyOfHeadIsLeftOut() async throws {
        mock.stub(.head, "/a", .text("hello"))
        mock.stub(.get, "/b", .text("hello").status(204))
        let url = try #require(URL(string: "https://api.example.com"))
        #expect(try await client.send(HTTPRequest(method: .head, url: url.appendingPathComponent("a"))).body.isEmpty)
        #expect(try await client.send(HTTPRequest(url: url.appendingPathComponent("b"))).body.isEmpty)
    }

    @Test(arguments: [
        (MockResponse.status(404), "Not Found"),
        (.text("a").status(503), "Service Unavailable"),
        (.response(HTTPResponse(status: 200, reason: "Fine")), "Fine"),
        (.response(HTTPResponse(status: 200, reason: "Fine", version: .http2)), ""),
        (.status(299), ""),
    ])
    func reasonIsThatOfTheStatusLine(_ response: MockResponse, _ reason: String) async throws {
        mock.stub(.get, "/a", response)
        let url = try #require(URL(string: "https://api.example.com/a"))
        #expect(try await client.send(HTTPRequest(url: url)).reason == reason)
    }

    @Test func valuesOfHeadersAreTrimmed() async throws {
        mock.stub(.get, "/a", .text("a").header("X-Mark", " \t m m\t "))
        let url = try #require(URL(string: "https://api.example.com/a"))
        #expect(try await client.send(HTTPRequest(url: url)).headers["X-Mark"] == "m m")
    }

    @Test func missingStubIsNotRetried() async throws {
        let client = client.with { $0.retryPolicy = .custom { _ in .zero } }
        #expect(try await failure { try await client.get("/a", as: String.self).value }.code == .noStub)
        #expect(mock.requests.count == 1)
    }

    // MARK: Requests

    @Test func requestsHaveTheHeadersOfTheirBodies() async throws {
        mock.stub(where: { $0.headers["Content-Type"] == "application/json" })
        _ = try await client.post("/a", body: .json(["a": 1]), as: Data.self).value
        let request = try #require(mock.requests.first)
        #expect(request.headers["Content-Type"] == "application/json")
        #expect(request.headers["Content-Length"] == "7")
    }

    @Test func requestsHaveTheirBodies() async throws {
        let files = ScratchFiles()
        let file = files.url.appendingPathComponent("a.txt")
        try Data("from a file".utf8).write(to: file)
        mock.stub(.post, "/a")
        for body in [
            Body.string("data"), .file(file),
            .stream(
                AsyncStream {
                    $0.yield(Data("streamed".utf8)); $0.finish()
                }),
        ] {
            let call = client.post("/a", body: body, as: Data.self)
            _ = try await call.value
        }
        let bodies = mock.requests.map { request in
            if case .data(let data) = request.body.content { String(decoding: data, as: UTF8.self) } else { "" }
        }
        #expect(bodies == ["data", "from a file", "streamed"])
    }

    @Test func bodyThatCannotBeReadFails() async throws {
        mock.stub(.post, "/a")
        let missing = URL(fileURLWithPath: "/missing/file")
        #expect(
            try await failure { try await client.post("/a", body: .file(missing), as: Data.self).value }.code
                == .badBody)
        let short = Body.stream(
            AsyncStream {
                $0.yield(Data([1])); $0.finish()
            }, length: 2)
        #expect(try await failure { try await client.post("/a", body: short, as: Data.self).value }.code == .badBody)
    }

    @Test func requestsThatTransportsRefuseAreRefused() async throws {
        mock.stub(.get, "/a")
        let url = try #require(URL(string: "https://api.example.com/a"))
        #expect(
            try await failure { try await mock.send(HTTPRequest(url: url, headers: ["X-A": "a\r\nb: c"])) }.code
                == .badHeader)
        #expect(
            try await failure { try await mock.send(HTTPRequest(method: "A B", url: url)) }.code == .badMethod)
        #expect(
            try await failure {
                try await MockTransport(capabilities: []).send(HTTPRequest(url: url))
            }.code == .unsupported)
    }

    @Test func progressAndMetricsAreThoseOfTheBodies() async throws {
        mock.stub(.post, "/a", .text("12345"))
        let call = Fetch<String>(.post("/a", body: .string("123")), of: client).start()
        _ = try await call.value
        let metrics = try #require(call.response?.metrics)
        #expect(metrics.bodyBytesSent == 3)
        #expect(metrics.bodyBytesReceived == 5)
        #expect(metrics.connected == nil)
    }

    // MARK: Time

    @Test func delayPassesOnTheClockOfTheClient() async throws {
        mock.stub(.get, "/a", .text("late").delayed(.seconds(20)))
        let call = Fetch<String>(.get("/a"), of: client).start()
        await clock.sleepers(1)
        #expect(!call.state.isFinished)
        clock.advance(by: .seconds(20))
        #expect(try await call.value == "late")
        #expect(call.response?.metrics.firstByte == .seconds(20))
    }

    @Test(arguments: [
        (Timeouts(idle: .seconds(5)), RequestError.Code.idleTimedOut),
        (Timeouts(idle: nil, attempt: .seconds(5)), .attemptTimedOut),
        (Timeouts(idle: nil, total: .seconds(5)), .totalTimedOut),
    ])
    func responseThatIsLateTimesOut(_ timeouts: Timeouts, _ code: RequestError.Code) async throws {
        for response in [MockResponse.text("late").delayed(.seconds(6)), .never] {
            let mock = MockTransport()
            let clock = ManualClock()
            mock.stub(.get, "/a", response)
            let client = client.with {
                $0.transport = mock
                $0.clock = clock
                $0.timeouts = timeouts
            }
            let call = client.get("/a", as: String.self)
            await clock.sleepers(1)
            clock.advance(by: .seconds(5))
            let error = try await failure { try await call.value }
            #expect(error.code == code)
        }
    }

    @Test func cancelledRequestEnds() async throws {
        mock.stub(.get, "/a", .never)
        let call = client.get("/a", as: String.self)
        while mock.requests.isEmpty { await Task.yield() }
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        await mock.shutdown()
    }

    @Test func shutdownEndsRequestsInFlight() async throws {
        mock.stub(.get, "/a", .never)
        let call = client.get("/a", as: String.self)
        while mock.requests.isEmpty { await Task.yield() }
        await mock.shutdown()
        #expect(try await failure { try await call.value }.code == .shutDown)
        #expect(try await failure { try await text("/a") }.code == .shutDown)
    }

    // MARK: Streams

    @Test func bodyIsStreamedInPortions() async throws {
        mock.stub(.get, "/a", .portions(["one", "two"], every: .seconds(1)))
        let response = try await client.send(
            HTTPRequest(url: #require(URL(string: "https://api.example.com/a"))), delivery: .stream)
        var portions: [String] = []
        for try await portion in response.stream {
            portions.append(String(decoding: portion, as: UTF8.self))
            if portions.count == 1 {
                let clock = clock
                Task {
                    await clock.sleepers(1)
                    clock.advance(by: .seconds(1))
                }
            }
        }
        #expect(portions == ["one", "two"])
    }

    /// Reads the first portion, and waits for the second one.
    private func waitingReader() async throws -> (BodyStream, Task<Void, any Error>) {
        mock.stub(.get, "/a", .portions(["one", "two"], every: .seconds(1)))
        let response = try await client.send(
            HTTPRequest(url: #require(URL(string: "https://api.example.com/a"))), delivery: .stream)
        let stream = response.stream
        let reader = Task { for try await _ in stream {} }
        await clock.sleepers(1)
        return (stream, reader)
    }

    @Test func cancelledStreamEndsForAReaderThatWaits() async throws {
        let (stream, reader) = try await waitingReader()
        stream.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
    }

    @Test func cancelledReaderEnds() async throws {
        let (_, reader) = try await waitingReader()
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
    }

    @Test func shutdownEndsStreams() async throws {
        let (_, reader) = try await waitingReader()
        await mock.shutdown()
        #expect(try await failure { try await reader.value }.code == .shutDown)
    }

    @Test func shutdownOfTheClientEndsStreams() async throws {
        let (_, reader) = try await waitingReader()
        await client.shutdown()
        #expect(try await failure { try await reader.value }.code == .shutDown)
    }

    @Test func exchangeOfARecordingIsAResponse() async throws {
        let recording = try Recording(
            Data(
                """
                {"log": {"entries": [
                    {"request": {"method": "GET", "url": "https://api.example.com/a"},
                     "response": {"status": 201, "content": {"size": 2, "text": "ok"}}},
                    {"request": {"method": "GET", "url": "https://api.example.com/b"},
                     "response": {"status": 200, "content": {"size": 2}}},
                    {"request": {"method": "GET", "url": "https://api.example.com/c"},
                     "response": {"status": 0}}
                ]}}
                """.utf8))
        for (path, exchange) in zip(["/a", "/b", "/c"], recording.exchanges) {
            mock.stub(.get, path, .recorded(exchange))
        }
        #expect(try await text("/a") == "ok")
        #expect(try await failure { try await text("/b") }.detail.contains("does not have the body of GET") == true)
        #expect(try await failure { try await text("/c") }.code == .connectionLost)
    }

    @Test func bodyMayFail() async throws {
        mock.stub(.get, "/a", .portions(["half"], thenFailing: .connectionLost))
        let error = try await failure { try await text("/a") }
        #expect(error.code == .connectionLost)
        #expect(error.phase == .receive)
        let response = try await client.send(
            HTTPRequest(url: #require(URL(string: "https://api.example.com/a"))), delivery: .stream)
        #expect(
            try await failure { try await response.stream.reduce(into: Data()) { $0 += $1 } }.code == .connectionLost)
    }

    @Test func bodyAboveTheLimitFails() async throws {
        mock.stub(.get, "/a", .text("12345"))
        let url = try #require(URL(string: "https://api.example.com/a"))
        let error = try await failure {
            try await mock.send(HTTPRequest(url: url), options: TransportOptions(delivery: .whole(limit: 4)))
        }
        #expect(error.code == .responseTooLarge)
        #expect(error.response?.status == 200)
    }

    // MARK: Verification

    @Test func verificationListsAllDifferences() async throws {
        mock.stub(.get, "/users/{id}")
        mock.stub(.post, "/orders")
        mock.stub(.get, "bad")
        _ = try await text("/users/1")
        let error = try await failure { try await client.get("/user/1?token=secret", as: String.self).value }
        #expect(
            error.detail
                == "no stub matches this request: the nearest stub is GET /users/{id}: there the path is /users/{id}")
        #expect(!error.isRetryable)
        let problem = #expect(throws: MockVerificationError.self) { try mock.verify() }
        let lines = problem?.problems.map { $0.prefix { $0 != "(" } } ?? []
        #expect(
            lines == [
                """
                no stub for GET https://api.example.com/v1/user/1?token=…: the nearest stub is GET /users/{id}: \
                there the path is /users/{id}
                """,
                "no request for the stub POST /orders ",
                #"the pattern "bad" is invalid: begin it with a slash, or with https:// "#,
            ])
        #expect(problem?.problems[1].contains("(TestingTests/MockTransportTests.swift:") == true)
    }

    @Test func errorOfAResponseFailsTheRequest() async throws {
        struct Mistake: Error {}
        mock.stub(.get, "/a", .made { _ in throw Mistake() })
        mock.stub(.get, "/b", .file(URL(fileURLWithPath: "/missing.json")))
        await #expect(throws: Mistake.self) { try await text("/a") }
        let error = try await failure { try await text("/b") }
        #expect(error.detail == #"the file "/missing.json" of the response cannot be read: check its path"#)
    }

    // MARK: Threads

    @Test func eachOfManyRequestsGetsOneResponse() async throws {
        mock.stub(.get, "/a", .made { _ in .text("ok") })
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<500 { group.addTask { try await text("/a") } }
            var count = 0
            for try await text in group where text == "ok" { count += 1 }
            #expect(count == 500)
        }
        #expect(mock.requests.count == 500)
    }
}

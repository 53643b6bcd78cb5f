import LoopbackServer
import Testing

/// Every effect at every moment, as a client sees it.
@Suite(.serialized, .timeLimit(.minutes(20))) struct FaultTests {
    typealias Moment = Fault.Moment

    private static let head =
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 10\r\n\r\n"
    private static let answer = Response.text("0123456789")

    /// Returns the part of the response that is sent before a moment.
    private static func before(_ moment: Moment) -> String {
        switch moment {
        case .accept, .requestHead, .requestBody, .response: ""
        case .responseHead: String(decoding: head.utf8.prefix(head.utf8.count / 2), as: UTF8.self)
        case .responseBody: head + "01234"
        case .end: head + "0123456789"
        }
    }

    /// Sends a request, unless the fault strikes at `.accept`, and reads to the end of the connection.
    private static func see(
        _ server: LoopbackServer, _ moment: Moment
    ) async throws -> (text: String, ending: RawClient.Ending) {
        try await onThread {
            let client = try RawClient(server)
            if moment != .accept { client.send(post("/", "body")) }
            return client.everything()
        }
    }

    private func server(_ effect: Fault.Effect, _ moment: Moment) throws -> LoopbackServer {
        let server = try LoopbackServer()
        server.enqueue(Self.answer.failing(effect, at: moment))
        server.answer(with: .text("later"))
        return server
    }

    @Test(arguments: Moment.allCases)
    func close(_ moment: Moment) async throws {
        let server = try server(.close, moment)
        let seen = try await Self.see(server, moment)
        #expect(seen.text == Self.before(moment))
        #expect(seen.ending == .end)
        #expect(try await server.connectionEnded(0) == .closedByServer)
        #expect(server.queued == 0)
    }

    @Test(arguments: Moment.allCases)
    func reset(_ moment: Moment) async throws {
        let server = try server(.reset, moment)
        let seen = try await Self.see(server, moment)
        #expect(seen.text == Self.before(moment))
        #expect(seen.ending == .reset)
        #expect(try await server.connectionEnded(0) == .resetByServer)
    }

    @Test(arguments: Moment.allCases)
    func halfClose(_ moment: Moment) async throws {
        let server = try server(.halfClose, moment)
        let client = try RawClient(server)
        let seen = try await onThread {
            if moment != .accept { client.send(post("/", "body")) }
            let seen = client.everything()
            client.send(get("/more"))
            return seen
        }
        #expect(seen.text == Self.before(moment))
        #expect(seen.ending == .end)
        // The server still reads, and sends nothing.
        let requests = try await server.requests(count: moment == .accept ? 1 : 2)
        #expect(requests.last?.path == "/more")
        #expect(server.connections.open == 1)
        client.leave()
        #expect(try await server.connectionEnded(0) == .closedByClient)
    }

    @Test(arguments: Moment.allCases)
    func stallUntilAGateOpens(_ moment: Moment) async throws {
        let gate = Gate()
        let server = try server(.stall(until: gate), moment)
        let client = try RawClient(server)
        client.send(post("/", "body"))
        try await gate.reached()
        #expect(client.available() == Self.before(moment))
        gate.open()
        let rest = try await onThread {
            client.send(get("/next"))
            return client.receive(until: "later")
        }
        #expect((Self.before(moment) + rest).hasPrefix(Self.head + "0123456789HTTP/1.1 200 OK\r\n"))
        #expect(server.connections.open == 1)
    }

    @Test(arguments: Moment.allCases)
    func stallLastsUntilTheServerStops(_ moment: Moment) async throws {
        let gate = Gate()
        let server = try LoopbackServer()
        server.enqueue(Self.answer.held(by: gate, at: moment).failing(.stall, at: moment))
        let client = try RawClient(server)
        client.send(post("/", "body"))
        gate.open()
        try await gate.reached()
        // The stall ends when the server stops.
        let seen = try await onThread {
            let before = Self.before(moment)
            let first = String(decoding: client.receive(count: before.utf8.count), as: UTF8.self)
            server.stop()
            return (text: first + client.everything().text, before: before)
        }
        #expect(seen.text == seen.before)
    }

    @Test(arguments: Moment.allCases)
    func serverNoticesAClientThatLeavesDuringAStall(_ moment: Moment) async throws {
        let server = try server(.stall, moment)
        try await onThread {
            let client = try RawClient(server)
            client.send(post("/", "body"))
            client.leave()
        }
        #expect([.closedByClient, .resetByClient].contains(try await server.connectionEnded(0)))
    }

    @Test(arguments: Moment.allCases)
    func throttle(_ moment: Moment) async throws {
        let server = try server(.throttle(bytes: 40, every: .milliseconds(1)), moment)
        let seen = try await onThread {
            let client = try RawClient(server)
            client.send(post("/", "body") + get("/next"))
            return client.receive(until: "later")
        }
        #expect(seen.hasPrefix(Self.head + "0123456789HTTP/1.1 200 OK\r\n"))
        #expect(server.requests.map(\.path) == ["/", "/next"])
    }

    @Test(arguments: Moment.allCases)
    func truncate(_ moment: Moment) async throws {
        let server = try server(.truncate, moment)
        let seen = try await Self.see(server, moment)
        #expect(seen.text == Self.before(moment))
        #expect(seen.ending == .end)
        #expect(try await server.connectionEnded(0) == .closedByServer)
    }

    @Test(arguments: Moment.allCases.filter { $0 != .end })
    func garbage(_ moment: Moment) async throws {
        let server = try server(.garbage("nonsense".utf8), moment)
        let seen = try await Self.see(server, moment)
        #expect(seen.text == Self.before(moment) + "nonsense")
        #expect(seen.ending == .end)
    }

    @Test func garbageAfterAResponseLeavesTheConnectionOpen() async throws {
        let server = try server(.garbage("nonsense".utf8), .end)
        let seen = try await onThread {
            let client = try RawClient(server)
            client.send(post("/", "body"))
            let first = client.receive(until: "nonsense")
            client.send(get("/next"))
            return (first, client.receive(until: "later"))
        }
        #expect(seen.0 == Self.before(.end) + "nonsense")
        #expect(seen.1.hasPrefix("HTTP/1.1 200 OK\r\n"))
    }

    @Test func garbageIsNotText() async throws {
        let server = try server(.garbage, .response)
        let bytes = try await onThread {
            let client = try RawClient(server)
            client.send(get("/"))
            return client.receive(count: 1000)
        }
        #expect(bytes.contains(0) && bytes.contains(0xff))
    }

    // MARK: More

    @Test func acceptFaultsStrikeOneConnectionEach() async throws {
        let server = try LoopbackServer()
        server.answer(with: .text("fine"))
        server.enqueueFault(atAccept: .reset)
        server.enqueueFault(atAccept: .close)
        let seen = try await onThread {
            try (0..<3).map { number in
                let client = try RawClient(server)
                if number == 2 { client.send(get("/", "Connection: close")) }
                return client.everything()
            }
        }
        #expect(seen.map(\.ending) == [.reset, .end, .end])
        #expect(seen[2].text.hasSuffix("fine"))
        // The client may see the end of a connection before it is recorded.
        #expect(try await server.connectionEnded(0) == .resetByServer)
        #expect(try await server.connectionEnded(1) == .closedByServer)
        #expect(try await server.connectionEnded(2) == .closedByServer)
    }

    /// A client that is still sending must not lose bytes of the response to a reset.
    @Test func truncateReadsTheRestOfTheRequest() async throws {
        let server = try LoopbackServer()
        server.answer(with: Self.answer.beforeRequestBody().failing(.truncate, at: .responseBody))
        let size = 16 << 20
        let seen = try await onThread {
            let client = try RawClient(server)
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(size)\r\n\r\n")
            let sent = client.send([UInt8](repeating: 0, count: size))
            client.endSending()
            return (sent, client.everything())
        }
        #expect(seen.0 == size)
        #expect(seen.1.text == Self.before(.responseBody))
        #expect(seen.1.ending == .end)
    }

    @Test func halfOfARequestBodyIsReadBeforeTheFault() async throws {
        let server = try LoopbackServer()
        server.answer(with: Self.answer.failing(.close, at: .requestBody))
        _ = try await sees(server, post("/", "0123456789"))
        let request = try #require(server.requests.first)
        #expect(request.text == "01234")
        #expect(request.problem == .incomplete)
    }

    @Test(arguments: [
        Response.chunks(["abcd", "efgh"]), .generated(bytes: 1000), .generated(bytes: 1000).chunked(size: 10),
    ])
    func halfOfAnyBodyIsWritten(_ answer: Response) async throws {
        let server = try LoopbackServer()
        server.answer(with: answer.failing(.close, at: .responseBody))
        let half = try await sees(server, get("/")).text.utf8.count
        server.answer(with: answer.closing())
        let whole = try await sees(server, get("/")).text.utf8.count
        #expect(half > 50)
        #expect(half < whole)
    }

    @Test func theFirstPortionOfAStreamIsWritten() async throws {
        let server = try LoopbackServer()
        let stream = Response.stream { writer in for text in ["one", "two"] { try await writer.write(text) } }
        server.answer(with: stream.failing(.close, at: .responseBody))
        #expect(try await sees(server, get("/")).text.hasSuffix("3\r\none\r\n"))
    }

    @Test func severalFaultsStrikeInOrder() async throws {
        let gate = Gate()
        let server = try LoopbackServer()
        server.answer(
            with: Self.answer.failing(.stall(until: gate), at: .responseHead).failing(.reset, at: .responseBody))
        let client = try RawClient(server)
        client.send(get("/"))
        try await gate.reached()
        #expect(client.available() == Self.before(.responseHead))
        gate.open()
        let rest = try await onThread { client.everything() }
        #expect(Self.before(.responseHead) + rest.text == Self.before(.responseBody))
        #expect(rest.ending == .reset)
    }

    @Test func handlerCanReturnAFault() async throws {
        let server = try LoopbackServer()
        server.answer { _ in Self.answer.failing(.reset, at: .requestHead) }
        let seen = try await sees(server, get("/"))
        #expect(seen.text == "")
        #expect(seen.ending == .reset)
    }

    @Test func faultWithoutAnEffectOfItsOwnHasARemark() {
        #expect(Fault(.truncate, at: .accept).note != nil)
        #expect(Fault(.truncate, at: .end).note != nil)
        for moment in Moment.allCases { #expect(Fault(.reset, at: moment).note == nil) }
    }
}

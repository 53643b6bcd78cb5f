import LoopbackServer
import Testing

/// Delays, gates and throttles.
@Suite(.serialized, .timeLimit(.minutes(20))) struct TimeTests {
    @Test(arguments: Fault.Moment.allCases)
    func delayLastsAtLeastAsLongAsSet(_ moment: Fault.Moment) async throws {
        let server = try LoopbackServer()
        server.enqueue(.text("done").delayed(by: .milliseconds(50), at: moment).closing())
        let began = ContinuousClock.now
        let seen = try await sees(server, post("/", "body"))
        #expect(seen.text.hasSuffix("done"))
        #expect(ContinuousClock.now - began >= .milliseconds(50))
    }

    @Test func hundredClientsCanWaitAtOnce() async throws {
        let server = try LoopbackServer()
        let gate = Gate()
        server.answer(with: .text("done").delayed(by: .milliseconds(300)).held(by: gate))
        let clients = try (0..<100).map { _ in
            let client = try RawClient(server)
            client.send(get("/"))
            return client
        }
        try await gate.reached(count: 100)
        #expect(server.connections.open == 100)
        #expect(clients.allSatisfy { $0.available() == "" })
        gate.open()
        let responses = try await onThread { clients.map { $0.receive(until: "done") } }
        #expect(responses.allSatisfy { $0.hasSuffix("done") })
    }

    @Test func openGateHoldsNothing() async throws {
        let server = try LoopbackServer()
        let gate = Gate()
        #expect(!gate.isOpen)
        gate.open()
        #expect(gate.isOpen)
        server.answer(with: .text("done").held(by: gate))
        #expect(try await answer(server, get("/")).hasSuffix("done"))
        #expect(gate.arrivals == 1)
        try await gate.opened()
    }

    @Test func waitForAGateCanBeCancelled() async throws {
        let gate = Gate()
        let waiting = Task { try await gate.reached() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test func throttledBodyIsSlow() async throws {
        let server = try LoopbackServer()
        server.answer(with: .generated(bytes: 100).throttled(bytes: 10, every: .milliseconds(5)))
        server.answer("/next", with: .text("next"))
        let began = ContinuousClock.now
        let seen = try await onThread {
            let client = try RawClient(server)
            client.send(get("/"))
            _ = client.receive(until: "\r\n\r\n")
            let body = client.receive(count: 100)
            client.send(get("/next"))
            return (body, client.receive(until: "next"))
        }
        #expect(seen.0 == Array(0..<100))
        #expect(seen.1.hasPrefix("HTTP/1.1 200"))
        #expect(ContinuousClock.now - began >= .milliseconds(45))
    }

    @Test func informationalResponseIsSentBeforeAHeldOne() async throws {
        let server = try LoopbackServer()
        let gate = Gate()
        server.answer(with: .text("done").informational(103).held(by: gate))
        let client = try RawClient(server)
        client.send(get("/"))
        try await gate.reached()
        #expect(client.available() == "HTTP/1.1 103 Early Hints\r\n\r\n")
        gate.open()
        #expect(try await onThread { client.receive(until: "done") }.hasPrefix("HTTP/1.1 200"))
    }

    /// The race of a client that sends on a connection that the server is about to close.
    @Test func idleConnectionClosesWhileARequestIsInFlight() async throws {
        let server = try LoopbackServer()
        let gate = Gate()
        server.enqueue(Response.text("one").held(by: gate, at: .end).failing(.close, at: .end))
        let client = try RawClient(server)
        let first = try await onThread {
            client.send(get("/"))
            return client.receive(until: "one")
        }
        #expect(first.hasSuffix("one"))
        try await gate.reached()
        client.send(get("/lost"))
        gate.open()
        let rest = try await onThread { client.everything() }
        #expect(rest.text == "")
        #expect(try await server.connectionEnded(0) == .closedByServer)
        #expect(server.requests.map(\.path) == ["/"])
    }
}

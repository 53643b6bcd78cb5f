import LoopbackServer
import Testing

/// The record of requests, events and connections.
@Suite(.serialized, .timeLimit(.minutes(20))) struct RecordTests {
    @Test func nextReturnsEachRequestOnce() async throws {
        let server = try LoopbackServer()
        async let first = server.next()
        _ = try await answer(server, get("/a") + get("/b"))
        #expect(try await first.path == "/a")
        #expect(try await server.next().path == "/b")
        async let third = server.next()
        _ = try await answer(server, get("/c"))
        #expect(try await third.path == "/c")
        #expect(server.requests.map(\.path) == ["/a", "/b", "/c"])
    }

    @Test func requestsWaitsForACount() async throws {
        let server = try LoopbackServer()
        async let requests = server.requests(count: 2)
        _ = try await answer(server, get("/a"))
        _ = try await answer(server, get("/b"))
        #expect(try await requests.map(\.path) == ["/a", "/b"])
        #expect(server.requestCount == 2)
    }

    @Test func eventsOfAConnectionAreRecordedInOrder() async throws {
        let server = try LoopbackServer()
        server.answer(with: .text("x"))
        _ = try await answer(server, get("/a") + get("/b"))
        try await server.connectionEnded(0)
        #expect(
            server.events == [
                .accepted(connection: 0),
                .request(connection: 0, exchange: 0), .answered(connection: 0, exchange: 0),
                .request(connection: 0, exchange: 1), .answered(connection: 0, exchange: 1),
                .closed(connection: 0, by: .client),
            ])
    }

    @Test func resetAndCloseAreRecordedAsDifferentEvents() async throws {
        let server = try LoopbackServer()
        server.answer(with: .text("x"))
        try await onThread {
            for reset in [true, false] {
                let client = try RawClient(server)
                client.send(get("/"))
                _ = client.receive(until: "\r\n\r\nx")
                client.leave(reset: reset)
            }
        }
        try await server.happened(.reset(connection: 0, by: .client))
        try await server.happened(.closed(connection: 1, by: .client))
        try await server.connections(open: 0)
        #expect(server.connections.states == [.resetByClient, .closedByClient])
        #expect(server.connections.accepted == 2)
    }

    @Test func closeIsRecordedWhileAResponseIsHeld() async throws {
        let server = try LoopbackServer()
        let gate = Gate()
        server.answer(with: .text("x").held(by: gate))
        let client = try RawClient(server)
        client.send(get("/"))
        try await gate.reached()
        client.leave()
        #expect(try await server.connectionEnded(0) == .closedByClient)
        gate.open()
    }

    @Test(arguments: [LoopbackServer.Recording.last(5), .none])
    func recordingHasALimit(_ recording: LoopbackServer.Recording) async throws {
        let server = try LoopbackServer(recording: recording)
        server.answer(with: .text("x"))
        _ = try await answer(server, get("/0"))
        #expect(try await server.next().path == "/0")
        _ = try await answer(server, (1..<500).map { get("/\($0)") }.joined())
        try await server.connectionEnded(1)
        #expect(server.requests.map(\.path) == (recording == .none ? [] : (495..<500).map { "/\($0)" }))
        #expect(server.events.count == (recording == .none ? 0 : 5))
        #expect(server.requestCount == 500)
    }

    @Test func waitCanBeCancelled() async throws {
        let server = try LoopbackServer()
        let waiting = Task { try await server.next() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        _ = try await answer(server, get("/a"))
        #expect(try await server.next().path == "/a")
    }

    @Test func waitFailsWhenTheServerStops() async throws {
        let server = try LoopbackServer()
        let waiting = Task { try await server.requests(count: 1) }
        server.stop()
        await #expect(throws: LoopbackServer.Failure.self) { try await waiting.value }
        await #expect(throws: LoopbackServer.Failure.self) { try await server.connectionEnded(0) }
    }
}

import LoopbackServer
import Testing

/// Request bodies that the server accepts, rejects or does not read.
@Suite(.serialized, .timeLimit(.minutes(20))) struct ExpectationTests {
    private static let head = "POST /up HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"

    @Test func clientThatExpectsA100GetsIt() async throws {
        let server = try LoopbackServer()
        server.answer("/up") { .text($0.text) }
        let (first, rest) = try await onThread {
            let client = try RawClient(server)
            client.send(Self.head)
            let first = client.receive(until: "\r\n\r\n")
            client.send("hello")
            return (first, client.receive(until: "hello"))
        }
        #expect(first == "HTTP/1.1 100 Continue\r\n\r\n")
        #expect(rest.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(server.events.contains(.head(connection: 0, exchange: 0)))
    }

    @Test func earlyResponseReplacesThe100() async throws {
        let server = try LoopbackServer()
        server.answer("/up", with: .status(413).beforeRequestBody().closing())
        let seen = try await sees(server, Self.head)
        #expect(seen.text == "HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        #expect(server.requests.first?.problem == .incomplete)
    }

    @Test func withoutContinueSendsNo100() async throws {
        let server = try LoopbackServer()
        server.answer("/up", with: .text("done").withoutContinue())
        let seen = try await answer(server, Self.head + "hello")
        #expect(seen.hasPrefix("HTTP/1.1 200"))
    }

    @Test func bodyAfterAnEarlyResponseIsRead() async throws {
        let server = try LoopbackServer()
        server.answer("/up", with: .status(413).beforeRequestBody())
        server.answer("/next", with: .text("next"))
        let seen = try await onThread {
            let client = try RawClient(server)
            client.send("POST /up HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe")
            let first = client.receive(until: "\r\n\r\n")
            client.send("llo" + get("/next"))
            return first + client.receive(until: "next")
        }
        #expect(seen.hasPrefix("HTTP/1.1 413"))
        #expect(seen.hasSuffix("next"))
        #expect(server.requests.map(\.text) == ["hello", ""])
    }

    /// If the server does not read, the client can send only as much as the system buffers.
    @Test func unreadBodyBlocksTheClient() async throws {
        let server = try LoopbackServer(bodies: .none)
        let gate = Gate()
        server.answer(with: .text("done").held(by: gate, at: .requestHead))
        let size = 256 << 20
        let client = try RawClient(server)
        client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(size)\r\n\r\n")
        try await gate.reached()
        let sent = try await onThread { client.sendUntilFull(size) }
        #expect(sent < 64 << 20)
        gate.open()
        let seen = try await onThread {
            let rest = [UInt8](repeating: 0x61, count: 1 << 20)
            var left = size - sent
            while left > 0 { left -= client.send(rest.prefix(left)) }
            return client.receive(until: "done")
        }
        #expect(seen.hasSuffix("done"))
        #expect(server.requests.first?.bodyCount == size)
    }
}

import LoopbackServer
import Testing

/// Streams of server-sent events.
@Suite(.serialized, .timeLimit(.minutes(20))) struct EventStreamTests {
    private static let head =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\nTransfer-Encoding: chunked\r\n\r\n"

    private static func chunk(_ text: String) -> String {
        "\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n"
    }

    @Test func stepsAreSentInOrder() async throws {
        let server = try LoopbackServer()
        server.answer(
            "/",
            with: .events([
                .comment("hello"), .retry(milliseconds: 5), "one", .event("a\nb", id: "2", type: "add"),
                .text("data: x\r\r"), .bytes([0x0A]),
            ]))
        let seen = try await answer(server, get("/"))
        let chunks = [
            ": hello\n\n", "retry: 5\n\n", "data: one\n\n", "id: 2\nevent: add\ndata: a\ndata: b\n\n", "data: x\r\r",
            "\n",
        ]
        #expect(seen == Self.head + chunks.map(Self.chunk).joined() + "0\r\n\r\n")
    }

    @Test func disconnectionHasNoEnd() async throws {
        let server = try LoopbackServer()
        server.answer("/", with: .events(["one", .disconnect, "two"]))
        #expect(try await answer(server, get("/")) == Self.head + Self.chunk("data: one\n\n"))
    }

    @Test func gateHoldsTheRest() async throws {
        let server = try LoopbackServer()
        let gate = Gate()
        server.answer("/", with: .events(["one", .hold(gate), "two"]))
        let rest = try await onThread {
            let client = try RawClient(server)
            client.send(get("/", "Connection: close"))
            _ = client.receive(until: "one\n\n\r\n")
            gate.open()
            return client.everything().text
        }
        #expect(rest == Self.chunk("data: two\n\n") + "0\r\n\r\n")
    }

    @Test func openStreamEndsWithItsClient() async throws {
        let server = try LoopbackServer()
        server.answer("/", with: .events(["one"], ends: false))
        try await onThread {
            let client = try RawClient(server)
            client.send(get("/"))
            _ = client.receive(until: "one\n\n\r\n")
        }
        try await server.connectionEnded(0)
    }
}

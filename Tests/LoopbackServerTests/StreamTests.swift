import LoopbackServer
import Testing

@Suite(.serialized, .timeLimit(.minutes(20))) struct StreamTests {
    @Test func eachWriteIsAChunk() async throws {
        let server = try LoopbackServer()
        server.answer(
            with: .stream { writer in
                try await writer.write("one")
                try await writer.write("")
                try await writer.write([0x74, 0x77, 0x6f])
            })
        let seen = try await answer(server, get("/"))
        #expect(seen == "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n")
    }

    @Test func sequenceOfPortionsIsABody() async throws {
        let server = try LoopbackServer()
        let (portions, input) = AsyncStream.makeStream(of: [UInt8].self)
        server.answer("/", with: .stream(portions).untilClose())
        input.yield(Array("a".utf8))
        input.yield(Array("b".utf8))
        input.finish()
        #expect(try await answer(server, get("/")).hasSuffix("\r\n\r\nab"))
    }

    @Test func portionArrivesBeforeTheNextIsWritten() async throws {
        let server = try LoopbackServer()
        let gate = Gate()
        server.answer(
            with: .stream { writer in
                try await writer.write("first")
                try await gate.opened()
                try await writer.write("second")
            })
        let (first, rest) = try await onThread {
            let client = try RawClient(server)
            client.send(get("/", "Connection: close"))
            let first = client.receive(until: "first\r\n")
            gate.open()
            return (first, client.everything().text)
        }
        #expect(first.hasSuffix("5\r\nfirst\r\n"))
        #expect(rest == "6\r\nsecond\r\n0\r\n\r\n")
    }

    @Test func throwingClosesTheConnectionInTheMiddle() async throws {
        struct Broken: Error {}
        let server = try LoopbackServer()
        server.answer(
            with: .stream { writer in
                try await writer.write("one")
                throw Broken()
            })
        let seen = try await sees(server, get("/"))
        #expect(seen.text.hasSuffix("\r\n\r\n3\r\none\r\n"))
        #expect(seen.ending == .end)
    }

    @Test func streamIsCancelledWhenTheClientLeaves() async throws {
        let server = try LoopbackServer()
        let cancelled = Gate()
        server.answer(
            with: .stream { writer in
                do {
                    while true { try await writer.write([UInt8](repeating: 0, count: 65_536)) }
                } catch {
                    cancelled.open()
                    throw error
                }
            })
        try await onThread {
            let client = try RawClient(server)
            client.send(get("/"))
            _ = client.receive(until: "\r\n\r\n")
            client.leave(reset: true)
        }
        try await cancelled.opened()
        #expect(try await server.connectionEnded(0) == .resetByClient)
    }
}

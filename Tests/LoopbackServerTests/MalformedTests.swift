import LoopbackServer
import Testing

/// Requests that no client should send.
@Suite(.serialized, .timeLimit(.minutes(20))) struct MalformedTests {
    static let requests = [
        ("no version", "GET /\r\n\r\n"),
        ("another version", "GET / HTTP/2.0\r\nHost: a\r\n\r\n"),
        ("no target", "GET  HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("no method", " / HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("a space in the target", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("no host", "GET / HTTP/1.1\r\n\r\n"),
        ("two hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"),
        ("a line without a colon", "GET / HTTP/1.1\r\nHost: a\r\nX\r\n\r\n"),
        ("a space before the colon", "GET / HTTP/1.1\r\nHost : a\r\n\r\n"),
        ("an empty name", "GET / HTTP/1.1\r\nHost: a\r\n: a\r\n\r\n"),
        ("a folded line", "GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n"),
        ("a control character", "GET / HTTP/1.1\r\nHost: a\r\nX: \u{1}\r\n\r\n"),
        ("a line feed alone", "GET / HTTP/1.1\nHost: a\n\n"),
        ("a line feed alone in a header", "GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n"),
        ("a length that is not a number", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1x\r\n\r\n"),
        ("a negative length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n"),
        ("two lengths", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"),
        ("length and chunks", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"),
        ("an unknown coding", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n"),
        ("a chunk size that is not a number", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nxy\r\n"),
        ("a chunk too long", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n"),
        ("TLS", "\u{16}\u{3}\u{1}"),
    ]

    @Test(arguments: requests)
    func malformedRequestGetsA400AndIsRecorded(_ name: String, _ bytes: String) async throws {
        let server = try LoopbackServer()
        server.answer(with: .text("fine"))
        let seen = try await sees(server, bytes)
        #expect(seen.text.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
        #expect(seen.ending == .end)
        let request = try #require(server.requests.first)
        guard case .malformed = request.problem else {
            Issue.record("\(request) is not malformed")
            return
        }
        #expect(server.requests.count == 1)
    }

    @Test func requestBeforeAMalformedOneGetsItsResponse() async throws {
        let server = try LoopbackServer()
        server.answer(with: .text("fine"))
        let seen = try await sees(server, get("/a") + "nonsense\r\n\r\n" + get("/b"))
        #expect(seen.text.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(seen.text.contains("HTTP/1.1 400"))
        #expect(server.requests.map(\.path) == ["/a", ""])
    }

    @Test func headAboveTheLimitGetsA431() async throws {
        let server = try LoopbackServer()
        let seen = try await sees(server, "GET / HTTP/1.1\r\nX: " + String(repeating: "a", count: (1 << 20) + 10))
        #expect(seen.text.hasPrefix("HTTP/1.1 431"))
    }

    @Test func headOfHalfAMegabyteIsRead() async throws {
        let server = try LoopbackServer()
        server.answer(with: .text("fine"))
        let value = String(repeating: "a", count: 1 << 19)
        #expect(try await answer(server, get("/", "X: \(value)")).hasPrefix("HTTP/1.1 200"))
        #expect(server.requests.first?.headers["x"] == value)
    }

    @Test func emptyLinesBeforeARequestAreIgnored() async throws {
        let server = try LoopbackServer()
        server.answer(with: .text("fine"))
        #expect(try await answer(server, "\r\n\r\n" + get("/a")).hasPrefix("HTTP/1.1 200"))
        #expect(server.requests.map(\.method) == ["GET"])
    }

    @Test func incompleteHeadIsRecorded() async throws {
        let server = try LoopbackServer()
        #expect(try await answer(server, "GET / HT") == "")
        #expect(server.requests.first?.problem != nil)
    }
}

import LoopbackServer
import Testing

/// The bytes of responses.
@Suite(.serialized, .timeLimit(.minutes(20))) struct ResponseTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var response: Response
        var bytes: String
        var request = get("/")
    }

    private static let head = "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let text = "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\n"

    static let rows = [
        Row(
            testDescription: "text", response: .text("hello"),
            bytes: text + "Content-Length: 5\r\n\r\nhello"),
        Row(
            testDescription: "json", response: .json("[1]", status: 201),
            bytes: "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: 3\r\n\r\n[1]"),
        Row(
            testDescription: "a status", response: .status(503),
            bytes: "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"),
        Row(
            testDescription: "an unknown status", response: .status(299),
            bytes: "HTTP/1.1 299 Status 299\r\nContent-Length: 0\r\n\r\n"),
        Row(
            testDescription: "a reason", response: .status(200, reason: "Fine"),
            bytes: "HTTP/1.1 200 Fine\r\nContent-Length: 0\r\n\r\n"),
        Row(
            testDescription: "no reason", response: .status(200, reason: ""),
            bytes: "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n"),
        Row(testDescription: "204", response: .status(204), bytes: "HTTP/1.1 204 No Content\r\n\r\n"),
        Row(
            testDescription: "304 with a body", response: .text("x").status(304),
            bytes: "HTTP/1.1 304 Not Modified\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n"),
        Row(
            testDescription: "HEAD", response: .text("hello"), bytes: text + "Content-Length: 5\r\n\r\n", request: head),
        Row(
            testDescription: "HEAD of chunks", response: .chunks(["a"]),
            bytes: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", request: head),
        Row(
            testDescription: "headers as written",
            response: .status(200).header("x-Odd-CASE", "1").headerLine("X-Tight:1").headerLine("X-Folded: a\r\n b"),
            bytes: "HTTP/1.1 200 OK\r\nx-Odd-CASE: 1\r\nX-Tight:1\r\nX-Folded: a\r\n b\r\nContent-Length: 0\r\n\r\n"),
        Row(
            testDescription: "duplicates", response: .status(200, headers: ["Set-Cookie": "a", "Set-Cookie": "b"]),
            bytes: "HTTP/1.1 200 OK\r\nSet-Cookie: a\r\nSet-Cookie: b\r\nContent-Length: 0\r\n\r\n"),
        Row(
            testDescription: "a length too long", response: .text("abc").declaring(length: 10),
            bytes: text + "Content-Length: 10\r\n\r\nabc"),
        Row(
            testDescription: "two lengths", response: .text("abc").declaring(length: 3).declaring(length: 4),
            bytes: text + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc"),
        Row(
            testDescription: "chunks", response: .chunks(["ab", "cde"]),
            bytes: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n"),
        Row(
            testDescription: "a bad chunk size", response: .chunks([.init("ab", size: "zz")]),
            bytes: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nab\r\n0\r\n\r\n"),
        Row(
            testDescription: "no last chunk", response: .chunks(["ab"], isEnded: false),
            bytes: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n"),
        Row(
            testDescription: "chunks of a size", response: .text("abcde").chunked(size: 2),
            bytes: text + "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n2\r\ncd\r\n1\r\ne\r\n0\r\n\r\n"),
        Row(
            testDescription: "trailers", response: .text("ab").trailers(["X-Sum": "1"]),
            bytes: text + "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\nX-Sum: 1\r\n\r\n"),
        Row(
            testDescription: "generated in chunks", response: .generated(bytes: 4).chunked(size: 3).header("A", "b"),
            bytes: "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nA: b\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n3\r\n\u{0}\u{1}\u{2}\r\n1\r\n\u{3}\r\n0\r\n\r\n"),
        Row(
            testDescription: "until the connection closes", response: .text("ab").untilClose(),
            bytes: text + "Connection: close\r\n\r\nab"),
        Row(
            testDescription: "closing", response: .text("ab").closing(),
            bytes: text + "Content-Length: 2\r\nConnection: close\r\n\r\nab"),
        Row(
            testDescription: "a client that closes", response: .text("ab"),
            bytes: text + "Content-Length: 2\r\nConnection: close\r\n\r\nab", request: get("/", "Connection: close")),
        Row(
            testDescription: "HTTP/1.0", response: .text("ab"),
            bytes: text + "Content-Length: 2\r\nConnection: close\r\n\r\nab", request: "GET / HTTP/1.0\r\n\r\n"),
        Row(
            testDescription: "HTTP/1.0 with keep-alive", response: .text("ab"),
            bytes: text + "Content-Length: 2\r\nConnection: keep-alive\r\n\r\nab",
            request: "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"),
        Row(
            testDescription: "HTTP/1.0 has no chunks", response: .chunks(["ab", "c"]),
            bytes: "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabc", request: "GET / HTTP/1.0\r\n\r\n"),
        Row(
            testDescription: "another version", response: .text("ab").version("HTTP/1.0"),
            bytes: "HTTP/1.0 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 2\r\n\r\nab"),
        Row(
            testDescription: "1xx responses first",
            response: .text("ab").informational(100).informational(103, headers: ["Link": "</a>"]),
            bytes: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + text
                + "Content-Length: 2\r\n\r\nab"),
        Row(testDescription: "raw", response: .raw("SSH-2.0-none\r\n"), bytes: "SSH-2.0-none\r\n"),
        Row(
            testDescription: "a redirect", response: .redirect(to: "../b", status: 307),
            bytes: "HTTP/1.1 307 Temporary Redirect\r\nLocation: ../b\r\nContent-Length: 0\r\n\r\n"),
    ]

    @Test(arguments: rows)
    func responseHasTheExpectedBytes(_ row: Row) async throws {
        let server = try LoopbackServer()
        server.answer(with: row.response)
        #expect(try await answer(server, row.request) == row.bytes)
        // The response of a handler has the same bytes as a prepared one.
        server.answer { _ in row.response }
        #expect(try await answer(server, row.request) == row.bytes)
    }

    @Test func bytesOutsideOfASCIIAreSentUnchanged() async throws {
        let server = try LoopbackServer()
        server.answer(with: Response(headers: HeaderLines([.init(bytes: Array("X: ".utf8) + [0xe9])])))
        let bytes = try await onThread {
            let client = try RawClient(server)
            client.send(get("/"))
            client.endSending()
            return client.receive(count: 1000)
        }
        #expect(bytes.contains(0xe9))
    }

    @Test(arguments: [0, 1, 250, 251, 257_024, 257_025, 3_000_000])
    func generatedBodyHasTheExpectedBytes(_ count: Int) async throws {
        let server = try LoopbackServer()
        server.answer(with: .generated(bytes: count))
        let bytes = try await onThread {
            let client = try RawClient(server)
            client.send(get("/"))
            _ = client.receive(until: "\r\n\r\n")
            return client.receive(count: count)
        }
        #expect(bytes == (0..<count).map { UInt8($0 % 251) })
    }

    @Test func valueIsEncodedAsJSON() async throws {
        let server = try LoopbackServer()
        server.answer(with: try .json(encoding: ["a": 1]))
        #expect(try await answer(server, get("/")).hasSuffix("\r\n\r\n{\"a\":1}"))
    }
}

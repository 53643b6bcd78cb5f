import Foundation
import LoopbackServer
import TangoCookies
import TangoRequest
import Testing

@testable import TestSupport

/// Parsing of responses.
@Suite(.timeLimit(.minutes(20))) struct ReceivingTests {
    typealias Kind = TransportUnderTest

    /// Receives a response with both deliveries and checks each.
    private func receive(
        _ kind: Kind, _ answers: Response..., method: HTTPMethod = .get,
        check: @escaping @Sendable (HTTPResponse) -> Void
    ) async throws {
        try await kind.run { transport, server in
            for answer in answers {
                for delivery in [TransportOptions.Delivery.whole(), .stream] {
                    server.enqueue(answer)
                    let options = TransportOptions(delivery: delivery)
                    var response = try await transport.send(HTTPRequest(method, server), options: options)
                    try await response.collect()
                    check(response)
                }
            }
        }
    }

    struct StatusLine: Sendable {
        let line: String
        let status: Int
        let reason: String
        let version: HTTPVersion
    }

    static let statusLines = [
        StatusLine(line: "HTTP/1.1 200 OK", status: 200, reason: "OK", version: .http1_1),
        StatusLine(line: "HTTP/1.1 200", status: 200, reason: "", version: .http1_1),
        StatusLine(line: "HTTP/1.1 200 ", status: 200, reason: "", version: .http1_1),
        StatusLine(line: "HTTP/1.0 200 Fine", status: 200, reason: "Fine", version: .http1_0),
        StatusLine(line: "HTTP/1.1 299 All of this: 1", status: 299, reason: "All of this: 1", version: .http1_1),
        StatusLine(line: "HTTP/1.1 418 I'm a teapot", status: 418, reason: "I'm a teapot", version: .http1_1),
        StatusLine(line: "HTTP/1.1 599 \u{e9}", status: 599, reason: "\u{e9}", version: .http1_1),
        StatusLine(line: "HTTP/1.1 999 Blocked", status: 999, reason: "Blocked", version: .http1_1),
        StatusLine(line: "HTTP/1.1 401 Unauthorized", status: 401, reason: "Unauthorized", version: .http1_1),
        StatusLine(line: "HTTP/1.1 301 Moved", status: 301, reason: "Moved", version: .http1_1),
    ]

    @Test(arguments: Kind.overTLS(but: .statusLines), statusLines)
    func readsStatusLines(_ kind: Kind, _ line: StatusLine) async throws {
        let answer = Response.raw(
            "\(line.line)\r\nConnection: close\r\nContent-Length: 2\r\nLocation: /other\r\nWWW-Authenticate: Basic realm=x\r\n\r\nok"
        )
        try await receive(kind, answer) { response in
            #expect(response.status.code == line.status)
            #expect(response.reason == line.reason)
            #expect(response.version == line.version)
            #expect(response.body == Data("ok".utf8))
        }
    }

    @Test(arguments: Kind.overTLS(but: .responseFieldOrder))
    func preservesHeaders(_ kind: Kind) async throws {
        let answer = Response.text("x")
            .header("set-cookie", "a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT").header("X-Second", "2")
            .header("Set-Cookie", "b=2").headerLine("X-Tight:1").headerLine("X-Wide:   1  ")
            .headerLine("X-Folded: a\r\n b\r\n\tc").headerLine("X-Empty:")
            .headerLine(Array("X-Latin: caf".utf8) + [0xe9]).header("X-UTF8", "café")
        try await receive(kind, answer) { response in
            let headers = response.headers
            #expect(headers.all("Set-Cookie") == ["a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT", "b=2"])
            #expect(headers["X-Tight"] == "1")
            #expect(headers["X-Wide"] == "1")
            #expect(headers["X-Folded"] == "a b c")
            #expect(headers["X-Empty"] == "")
            #expect(headers["X-Latin"] == "café")
            #expect(headers["X-UTF8"] == "café")
            #expect(
                headers.map(\.name) == [
                    "Content-Type", "set-cookie", "X-Second", "Set-Cookie", "X-Tight", "X-Wide", "X-Folded", "X-Empty",
                    "X-Latin", "X-UTF8", "Content-Length",
                ])
        }
    }

    @Test(arguments: Kind.everywhere(but: .oddHeads))
    func readsLinesThatEndInALineFeed(_ kind: Kind) async throws {
        try await receive(kind, .raw("HTTP/1.1 200 OK\nConnection: close\nA: 1\nContent-Length: 2\n\nok")) { response in
            #expect(response.status == 200)
            #expect(response.headers["A"] == "1")
            #expect(response.body == Data("ok".utf8))
        }
    }

    @Test(arguments: Kind.overTLS)
    func readsManyHeaders(_ kind: Kind) async throws {
        var answer = Response.text("x")
        for number in 0..<500 { answer = answer.header("X-Number-\(number)", String(repeating: "v", count: 100)) }
        try await receive(kind, answer) { response in
            #expect(response.headers.count == 502)
            #expect(response.headers["X-Number-499"]?.count == 100)
        }
    }

    @Test(arguments: Kind.everywhere, [204, 304])
    func responsesWithoutABodyAreRead(_ kind: Kind, _ status: Int) async throws {
        try await receive(kind, Response.status(status).header("ETag", "a").header("X-After", "1")) { response in
            #expect(response.status.code == status)
            #expect(response.headers["ETag"] == "a")
            #expect(response.body.isEmpty)
        }
    }

    @Test("a 304 may declare the length of a body that it does not have", arguments: Kind.everywhere)
    func notModifiedWithALength(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.enqueue(.status(304).declaring(length: 5_000), .text("next"))
            let response = try await transport.send(HTTPRequest(.get, server))
            #expect(response.status == 304)
            #expect(response.headers["Content-Length"] == "5000")
            #expect(try await transport.send(HTTPRequest(.get, server)).body == Data("next".utf8))
        }
    }

    /// RFC 9112, 6.3: equal lengths are one, and chunks take the place of a length.
    @Test(arguments: Kind.overTLS(but: .oddHeads))
    func readsLengthsThatAreEqualOrReplacedByChunks(_ kind: Kind) async throws {
        for fields in [
            "Content-Length: 5\r\nContent-Length: 5", "Content-Length: 5, 5",
            "content-length:  5 \r\nCONTENT-LENGTH: 5",
            "Content-Length: 005", "X: y\r\nContent-Length:5",
        ] {
            try await receive(kind, .raw("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\nhello", closes: false)) { response in
                #expect(response.body == Data("hello".utf8), "\(fields)")
            }
        }
        for fields in [
            "Transfer-Encoding: chunked\r\nContent-Length: 7\r\nContent-Length: 8",
            "Content-Length: 7\r\nContent-Length: 8\r\nTransfer-Encoding: chunked",
            "Transfer-Encoding: chunked\r\nContent-Length: 99999999999999999999",
        ] {
            let answer = Response.raw("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\n5\r\nhello\r\n0\r\n\r\n", closes: false)
            try await receive(kind, answer) { response in
                #expect(response.body == Data("hello".utf8), "\(fields)")
            }
        }
    }

    static let sizes = [0, 1, 4095, 4096, 4097, 65_536, 300_000, 3_000_000]

    @Test(arguments: Kind.everywhere, sizes)
    func readsBodiesWithEveryFraming(_ kind: Kind, _ size: Int) async throws {
        let answer = Response.generated(bytes: size)
        let ways = [
            answer, answer.chunked(size: 1 + size / 7), answer.chunked(size: 70_000), answer.untilClose(),
            answer.untilClose().version("HTTP/1.0"), answer.version("HTTP/1.0"),
        ]
        try await kind.run { transport, server in
            for way in ways {
                for delivery in [TransportOptions.Delivery.whole(), .stream] {
                    server.enqueue(way)
                    let options = TransportOptions(delivery: delivery)
                    var response = try await transport.send(HTTPRequest(.get, server), options: options)
                    try await response.collect()
                    #expect(response.body == generated(size))
                    #expect(response.metrics.bodyBytesReceived == size)
                }
            }
        }
    }

    @Test(arguments: Kind.everywhere)
    func readsTinyChunks(_ kind: Kind) async throws {
        let chunks = (0..<3000).map { Response.Chunk([UInt8(truncatingIfNeeded: $0 % 251)]) }
        try await receive(kind, .chunks(chunks)) { response in
            #expect(response.body == generated(3000))
        }
    }

    @Test(arguments: Kind.everywhere)
    func readsChunkExtensions(_ kind: Kind) async throws {
        let chunks = [Response.Chunk("abc", size: "3;name=value"), Response.Chunk("de", size: "0002")]
        try await receive(kind, .chunks(chunks)) { response in
            #expect(response.body == Data("abcde".utf8))
        }
    }

    @Test(arguments: Kind.overTLS(but: .trailers))
    func readsTrailers(_ kind: Kind) async throws {
        let trailers: HeaderLines = ["X-Sum": "1", "X-Sum": "2", "Server-Timing": "db;dur=3"]
        for answer in [Response.text("body"), .text(""), .generated(bytes: 500_000)] {
            try await receive(kind, answer.trailers(trailers)) { response in
                #expect(response.trailers.map(\.name) == ["X-Sum", "X-Sum", "Server-Timing"])
                #expect(response.trailers.all("X-Sum") == ["1", "2"])
                #expect(response.headers["X-Sum"] == nil)
            }
        }
    }

    @Test(arguments: Kind.overTLS(but: .trailers))
    func readsHeadsThatArriveByteByByte(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            let text = "HTTP/1.1 200 OK\r\nX: y\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nT: 1\r\n\r\n"
            server.enqueue(
                Response.raw(text, closes: false)
                    .failing(.throttle(bytes: 1, every: .milliseconds(1)), at: .response))
            let response = try await transport.send(HTTPRequest(.get, server))
            #expect(response.body == Data("ok".utf8))
            #expect(response.trailers["T"] == "1")
        }
    }

    @Test(arguments: Kind.overTLS)
    func reportsInterimResponses(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            let answer = Response.text("final").informational(102)
                .informational(103, headers: ["Link": "</a.css>", "Link": "</b.css>"]).informational(103)
            for delivery in [TransportOptions.Delivery.whole(), .stream] {
                server.enqueue(answer)
                let seen = Recorded<(HTTPStatus, Headers)>()
                let options = TransportOptions(delivery: delivery) { event in
                    if case .informational(let status, let headers) = event { seen.add((status, headers)) }
                }
                var response = try await transport.send(HTTPRequest(.get, server), options: options)
                try await response.collect()
                #expect(response.status == 200)
                #expect(response.headers["Link"] == nil)
                #expect(response.body == Data("final".utf8))
                #expect(seen.all.map(\.0) == [102, 103, 103])
                #expect(seen.all[1].1.combined("Link") == "</a.css>, </b.css>")
            }
        }
    }

    @Test("an interim response is reported before the final response arrives", arguments: Kind.overTLS)
    func reportsInterimResponsesAtOnce(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            let gate = Gate()
            server.enqueue(Response.text("final").informational(103, headers: ["Link": "x"]).held(by: gate))
            let options = TransportOptions { event in
                if case .informational = event { gate.open() }
            }
            let response = try await transport.send(HTTPRequest(.get, server), options: options)
            #expect(response.status == 200)
        }
    }

    @Test("interim responses are skipped without an observer", arguments: Kind.overTLS)
    func skipsInterimResponses(_ kind: Kind) async throws {
        try await receive(kind, Response.text("final").informational(100).informational(103)) { response in
            #expect(response.status == 200)
        }
    }

    @Test("a request with `Expect` gets the final response", arguments: Kind.everywhere(but: .expectations))
    func expectContinueGetsTheFinalResponse(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer("/yes", with: .text("ok"))
            server.answer("/no", with: .text("no", status: 417).beforeRequestBody())
            server.answer("/unauthorized", with: .text("who?", status: 401).beforeRequestBody())
            for (path, status) in [("/yes", 200), ("/no", 417), ("/unauthorized", 401)] {
                let request = HTTPRequest(
                    .put, server, path, headers: ["Expect": "100-continue"], body: .data(Data(count: 200_000)))
                let response = try await transport.send(request)
                #expect(response.status.code == status, "\(path)")
                #expect(response.trailers.isEmpty, "\(path)")
            }
        }
    }
}

import Foundation
import LoopbackServer
import TangoRequest
import Testing

@testable import TestSupport

/// Failures of transports, and the errors that report them.
@Suite(.timeLimit(.minutes(20))) struct FailureTests {
    typealias Kind = TransportUnderTest

    /// Checks the error that a response causes, with both deliveries.
    private func errors(
        _ kind: Kind, _ answer: Response, method: HTTPMethod = .get,
        check: @escaping @Sendable (RequestError, TransportOptions.Delivery) -> Void
    ) async throws {
        try await kind.run { transport, server in
            for delivery in [TransportOptions.Delivery.whole(), .stream] {
                server.enqueue(answer)
                let options = TransportOptions(delivery: delivery)
                let request = HTTPRequest(method, server, "/x")
                let error = try await failure {
                    var response = try await transport.send(request, options: options)
                    try await response.collect()
                    return response
                }
                #expect(error.request?.url == server.url("/x"))
                #expect(!error.detail.isEmpty)
                check(error, delivery)
            }
        }
    }

    @Test(arguments: Kind.all)
    func closedPortCannotConnect(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            let url = server.url("/")
            server.stop()
            let error = try await failure { try await transport.send(HTTPRequest(method: .post, url: url)) }
            #expect(error.code == .cannotConnect)
            #expect(error.phase == .connect)
            #expect(error.isRetryable)
            #expect(error.response == nil)
        }
    }

    /// The loopback server has no TLS. It reads the first bytes of a handshake as a malformed request.
    @Test(arguments: Kind.all)
    func httpsToAnHTTPPortFailsWithNotTLS(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
            let error = try await failure { try await transport.send(HTTPRequest(url: url)) }
            #expect(error.code == .tlsFailed)
            #expect(error.trustFailure == .notTLS)
            #expect(error.detail.contains("check the scheme and the port of the URL"), "\(error)")
        }
    }

    @Test(arguments: Kind.overTLS)
    func unknownHostIsNotFound(_ kind: Kind) async throws {
        try await kind.run { transport, _ in
            let url = try #require(URL(string: "http://no-such-host.invalid/"))
            let error = try await failure { try await transport.send(HTTPRequest(url: url)) }
            #expect(error.code == .hostNotFound)
            #expect(error.phase == .connect)
            #expect(error.isRetryable)
        }
    }

    @Test(arguments: Kind.overTLS)
    func missingResponseIsALostConnection(_ kind: Kind) async throws {
        for effect in [Fault.Effect.close, .reset, .truncate, .halfClose] {
            try await errors(kind, Response.text("x").failing(effect, at: .response)) { error, _ in
                #expect(error.code == .connectionLost)
                #expect(error.phase == .wait)
                #expect(error.response == nil)
                #expect(error.isRetryable)
            }
        }
    }

    @Test(arguments: Kind.overTLS(but: .halfHeads))
    func partialHeadIsALostConnection(_ kind: Kind) async throws {
        for effect in [Fault.Effect.close, .reset, .truncate] {
            let answer = Response.text("x").header("X-Long", String(repeating: "x", count: 100))
            try await errors(kind, answer.failing(effect, at: .responseHead)) { error, _ in
                #expect(error.code == .connectionLost || error.code == .truncated)
                #expect(error.phase == .wait)
            }
        }
    }

    @Test(arguments: Kind.overTLS)
    func shortBodyIsTruncated(_ kind: Kind) async throws {
        let answer = Response.generated(bytes: 100_000).header("X", "y")
        for way in [answer, answer.chunked(size: 10_000)] {
            for effect in [Fault.Effect.close, .truncate] {
                try await errors(kind, way.failing(effect, at: .responseBody)) { error, delivery in
                    #expect(error.code == .truncated)
                    #expect(error.phase == .receive)
                    #expect(error.isRetryable)
                    if delivery != .stream {
                        #expect(error.response?.status == 200)
                        #expect(error.response?.headers["X"] == "y")
                        #expect(error.response?.body == generated(50_000))
                    }
                }
            }
        }
    }

    @Test(arguments: Kind.overTLS)
    func chunkedBodyWithoutItsEndIsTruncated(_ kind: Kind) async throws {
        let answer = Response.chunks(["abc", "de"], isEnded: false).closing()
        try await errors(kind, answer) { error, delivery in
            #expect(error.code == .truncated)
            if delivery != .stream { #expect(error.response?.body == Data("abcde".utf8)) }
        }
    }

    @Test(arguments: Kind.overTLS)
    func resetDuringABodyLosesTheConnection(_ kind: Kind) async throws {
        try await errors(kind, Response.generated(bytes: 100_000).failing(.reset, at: .responseBody)) { error, _ in
            #expect(error.code == .connectionLost || error.code == .truncated)
            // The reset may have dropped the bytes that had arrived.
            #expect(error.phase == .receive || error.phase == .wait)
        }
    }

    @Test("a malformed chunk fails the response", arguments: Kind.overTLS, ["xyz", "-1", "", "FFFFFFFFFFFFFFFFFF"])
    func badChunks(_ kind: Kind, _ size: String) async throws {
        let answer = Response.chunks([Response.Chunk("abc"), Response.Chunk("def", size: size)])
        try await errors(kind, answer) { error, delivery in
            #expect(error.code == .badResponse || error.code == .truncated, "\(error.detail)")
            #expect(error.phase == .receive)
            if delivery != .stream { #expect(error.response?.body.prefix(3) == Data("abc".utf8)) }
        }
    }

    static let garbage = [
        "garbage\r\n\r\n", "HTTP/9.9 200 OK\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "\u{0}\u{1}\u{2}\r\n\r\n",
        "<html>hello</html>", "SSH-2.0-OpenSSH_9.9\r\n", "HTTP/1.1 20\r\n\r\n", "ICY 200 OK\r\n\r\nx",
    ]

    @Test(arguments: Kind.overTLS, garbage)
    func bytesThatAreNotHTTPAreABadResponse(_ kind: Kind, _ text: String) async throws {
        try await errors(kind, .raw(text)) { error, _ in
            #expect(error.code == .badResponse, "\(error.detail)")
            #expect(!error.isRetryable)
        }
    }

    static let lengths = [
        ["5", "6"], ["6", "5"], ["5, 6"], ["5", "5", "6"], ["18446744073709551621"], ["9223372036854775808"], ["many"],
        ["-5"], ["+5"], ["5x"], ["5 6"], ["5;"], [""], ["5\r\n 6"], ["5", "0"],
    ]

    /// A body whose end is in doubt is not delivered, and its connection not used again (RFC 9112, 6.3).
    @Test(arguments: Kind.overTLS(but: .oddHeads), lengths)
    func lengthThatIsNotOneNumberIsABadResponse(_ kind: Kind, _ lengths: [String]) async throws {
        let head = lengths.map { "Content-Length: \($0)\r\n" }.joined()
        try await kind.run { transport, server in
            for (status, method) in [
                ("200 OK", HTTPMethod.get), ("302 Found", .get), ("401 No", .get), ("304 Not Modified", .get),
                ("204 No Content", .get), ("200 OK", .head),
            ] {
                for delivery in [TransportOptions.Delivery.whole(), .stream] {
                    let hasBody = method == .get && !status.hasPrefix("304") && !status.hasPrefix("204")
                    server.enqueue(.raw("HTTP/1.1 \(status)\r\n\(head)\r\n\(hasBody ? "hello!" : "")", closes: false))
                    let options = TransportOptions(delivery: delivery)
                    let error = try await failure {
                        try await transport.send(HTTPRequest(method, server), options: options)
                    }
                    #expect(error.code == .badResponse, "\(method) \(status): \(error.detail)")
                    #expect(error.phase == .wait, "\(method) \(status)")
                    #expect(!error.isRetryable)
                }
            }
            #expect(Set(server.requests.map(\.connection)).count == 12)
        }
    }

    @Test(arguments: Kind.overTLS(but: .oddHeads))
    func lengthThatIsNotOneNumberIsNamed(_ kind: Kind) async throws {
        try await errors(kind, .raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\ncontent-length: 6\r\n\r\nhello!")) {
            error, _ in
            #expect(error.detail.contains("\"5, 6\""), "\(error.detail)")
        }
    }

    @Test("a head that is too long is refused", arguments: Kind.overTLS, [(1, 1 << 20), (1, 150_000), (1000, 1000)])
    func oversizedHeads(_ kind: Kind, _ lines: (count: Int, length: Int)) async throws {
        var answer = Response.text("x")
        for number in 0..<lines.count {
            answer = answer.header("X-\(number)", String(repeating: "v", count: lines.length))
        }
        try await errors(kind, answer) { error, _ in
            #expect(error.code == .badResponse, "\(error.detail)")
            #expect(!error.isRetryable)
        }
    }

    @Test(arguments: Kind.overTLS(but: .trailers))
    func trailersThatAreTooLongAreRefused(_ kind: Kind) async throws {
        let trailers = HeaderLines((0..<1000).map { .init("X-\($0)", String(repeating: "v", count: 1000)) })
        try await errors(kind, Response.text("x").trailers(trailers)) { error, _ in
            #expect(error.code == .badResponse, "\(error.detail)")
        }
    }

    @Test(arguments: Kind.overTLS)
    func endlessInterimResponsesFail(_ kind: Kind) async throws {
        let text = String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", count: 100_000)
        try await kind.run { transport, server in
            server.enqueue(.raw(text))
            let options = TransportOptions { _ in }
            let error = try await failure { try await transport.send(HTTPRequest(.get, server), options: options) }
            #expect([.badResponse, .connectionLost, .truncated].contains(error.code), "\(error.code)")
        }
    }

    // MARK: Requests that cannot be sent

    @Test(arguments: Kind.overTLS)
    func unreadableFileIsABadBody(_ kind: Kind) async throws {
        let files = ScratchFiles()
        let folder = files.url
        let secret = try files.file("secret", Data([1]))
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: secret.path)
        let pipe = files.url.appendingPathComponent("pipe")
        #expect(mkfifo(pipe.path, 0o600) == 0)
        var bad = [
            folder, files.url.appendingPathComponent("missing"), pipe, try #require(URL(string: "http://x/")),
            URL(fileURLWithPath: "/dev/null"),
        ]
        if getuid() != 0 { bad.append(secret) }
        let urls = bad
        try await kind.run { transport, server in
            for url in urls {
                let error = try await failure {
                    try await transport.send(HTTPRequest(.post, server, body: .file(url)))
                }
                #expect(error.code == .badBody)
                #expect(error.phase == .prepare)
                #expect(error.request != nil)
                #expect(!error.isRetryable)
            }
            #expect(server.connections.accepted == 0)
        }
    }

    @Test(arguments: Kind.overTLS)
    func fileThatShrinksDuringTheUploadIsABadBody(_ kind: Kind) async throws {
        let files = ScratchFiles()
        let url = try files.file("shrinking", Data(count: 60_000_000))
        try await kind.run { transport, server in
            let gate = Gate()
            server.answer(with: Response.text("ok").held(by: gate, at: .requestHead))
            let task = Task { try await transport.send(HTTPRequest(.post, server, body: .file(url))) }
            try await gate.reached()
            try files.setLength(url, 10)
            gate.open()
            let error = try await failure { try await task.value }
            #expect(error.code == .badBody)
            #expect(error.phase == .send)
            #expect(try await server.connectionEnded(0) != .open)
        }
    }

    @Test(arguments: Kind.overTLS)
    func fileThatGrowsIsABadBodyOrSentWithItsFirstLength(_ kind: Kind) async throws {
        let files = ScratchFiles()
        let url = try files.file("growing", Data(count: 20_000_000))
        try await kind.run { transport, server in
            let gate = Gate()
            server.answer(with: Response.text("ok").held(by: gate, at: .requestHead))
            let task = Task { try await transport.send(HTTPRequest(.post, server, body: .file(url))) }
            try await gate.reached()
            try files.setLength(url, 30_000_000)
            gate.open()
            guard kind.name.hasPrefix("CurlTransport") else {
                // URLSession sends the length that it has announced.
                #expect(try await task.value.status == 200)
                #expect(try await server.next().bodyCount == 20_000_000)
                return
            }
            #expect(try await failure { try await task.value }.code == .badBody)
        }
    }

    struct Oops: Error {}

    @Test(arguments: Kind.overTLS)
    func streamThatThrowsIsABadBody(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: .text("ok"))
            for place in [0, 1, 50] {
                for length in [nil, 1_000_000] {
                    let portions = Portions { number in
                        if number == place { throw Oops() }
                        return Data(count: 1000)
                    }
                    let error = try await failure {
                        try await transport.send(HTTPRequest(.post, server, body: .stream(portions, length: length)))
                    }
                    #expect(error.code == .badBody)
                    #expect(error.phase == .send)
                    #expect(error.underlying is Oops)
                    #expect(error.request != nil)
                }
            }
            let body = Body.stream(making: { () throws -> Portions in throw Oops() })
            let error = try await failure { try await transport.send(HTTPRequest(.post, server, body: body)) }
            #expect(error.code == .badBody)
            #expect(error.underlying is Oops)
            #expect(server.requests.allSatisfy { $0.problem == .incomplete })
        }
    }

    @Test(arguments: Kind.overTLS)
    func streamOfAnotherLengthIsABadBody(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: .text("ok"))
            let rows = [
                (10, [9]), (10, [11]), (1, []), (100_000, [99_999]), (100_000, [200_000]), (0, [5]), (0, [0, 0, 1]),
                (10, [10, 1]), (10, [4, 6, 0, 100_000]), (200_000, [100_000, 100_000, 1]),
            ]
            for (length, counts) in rows {
                let portions = Portions(counts.map { Data(count: $0) })
                let error = try await failure {
                    try await transport.send(HTTPRequest(.post, server, body: .stream(portions, length: length)))
                }
                #expect(error.code == .badBody, "\(counts) for \(length)")
                #expect(error.detail.contains("\(length)"), "\(error.detail)")
            }
            // No server has taken a wrong body for a complete one.
            #expect(server.requests.allSatisfy { $0.problem == .incomplete })
        }
    }

    @Test(arguments: Kind.everywhere)
    func streamOfNoBytesIsAnEmptyBody(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: .text("ok"))
            for portions in [Portions([]), Portions([Data(), Data()])] {
                let request = HTTPRequest(.post, server, body: .stream(portions, length: 0))
                #expect(try await transport.send(request).body == Data("ok".utf8))
                let seen = try await server.next()
                #expect(seen.headers["Content-Length"] == "0")
                #expect(seen.bodyCount == 0)
            }
        }
    }

    /// The transport waits for the stream, and so the limits of time and the caller end the wait.
    @Test(arguments: Kind.overTLS)
    func streamOfNoBytesThatDoesNotEndIsNotSent(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            let endless = HTTPRequest(.post, server, body: .stream(AsyncStream<Data> { _ in }, length: 0))
            let options = TransportOptions().timing(total: .milliseconds(50))
            let error = try await failure { try await transport.send(endless, options: options) }
            #expect(error.code == .totalTimedOut)
            let again = HTTPRequest(.post, server, body: .stream(AsyncStream<Data> { _ in }, length: 0))
            let task = Task { try await transport.send(again) }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(server.connections.accepted == 0)
        }
    }

    @Test(arguments: Kind.everywhere, [-1, -5, Int.min])
    func negativeLengthIsNotSent(_ kind: Kind, _ length: Int) async throws {
        try await kind.run { transport, server in
            let body = Body.stream(Portions([Data(count: 5)]), length: length)
            let error = try await failure { try await transport.send(HTTPRequest(.post, server, body: body)) }
            #expect(error.code == .badBody)
            #expect(error.phase == .prepare)
            #expect(error.detail.contains("\(length)") && error.detail.contains("negative"), "\(error.detail)")
            #expect(server.connections.accepted == 0)
        }
    }

    @Test(arguments: Kind.overTLS, ["", "GE T", "GET\r\nX: y", "G\u{e9}T", "GET "])
    func invalidMethodIsNotSent(_ kind: Kind, _ method: String) async throws {
        try await kind.run { transport, server in
            let error = try await failure { try await transport.send(HTTPRequest(HTTPMethod(method), server)) }
            #expect(error.code == .badMethod)
            #expect(error.phase == .prepare)
            #expect(server.connections.accepted == 0)
        }
    }

    static let forgedHeaders: [Headers] = [
        ["X": "a\r\nY: b"], ["X": "a\nb"], ["X": "a\rb"], ["X": "a\u{0}b"], ["X Y": "a"], ["": "a"], ["X:": "a"],
        ["X\r\nY": "a"], ["X": "\u{7f}"],
    ]

    @Test(arguments: Kind.overTLS, forgedHeaders)
    func invalidHeaderIsNotSent(_ kind: Kind, _ headers: Headers) async throws {
        try await kind.run { transport, server in
            let error = try await failure { try await transport.send(HTTPRequest(.get, server, headers: headers)) }
            #expect(error.code == .badHeader)
            #expect(error.phase == .prepare)
            #expect(server.connections.accepted == 0)
        }
    }

    static let otherURLs = ["ftp://127.0.0.1/", "file:///etc/passwd", "/relative", "http:///x", "http:", "mailto:a@b"]

    @Test(arguments: Kind.overTLS, otherURLs)
    func unusableURLIsNotSent(_ kind: Kind, _ text: String) async throws {
        try await kind.run { transport, _ in
            let url = try #require(URL(string: text))
            let error = try await failure { try await transport.send(HTTPRequest(url: url)) }
            #expect(error.code == .badURL)
            #expect(error.phase == .prepare)
        }
    }

    @Test(arguments: Kind.overTLS)
    func headAndTraceRefuseABody(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            for method in [HTTPMethod.head, .trace] {
                let error = try await failure {
                    try await transport.send(HTTPRequest(method, server, body: .string("x")))
                }
                #expect(error.code == .unsupported)
                #expect(error.phase == .prepare)
            }
            #expect(server.connections.accepted == 0)
        }
    }
}

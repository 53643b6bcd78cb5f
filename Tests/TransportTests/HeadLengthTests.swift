import Foundation
import LoopbackServer
import Testing

@testable import TangoCurl
@testable import TangoRequest
@testable import TestSupport

/// Requests whose URL and headers are longer than a transport can send.
@Suite(.timeLimit(.minutes(20))) struct HeadLengthTests {
    typealias Kind = TransportUnderTest

    private static func text(_ count: Int) -> String { String(repeating: "x", count: count) }

    @Test(arguments: Kind.overTLS)
    func aHeadOverAMegabyteIsRefusedBeforeAnythingIsSent(_ kind: Kind) async throws {
        let long = Self.text(1_100_000)
        let rows: [(String, Headers, String)] = [
            ("/", ["X-Long": long, "X-Short": "1"], "X-Long"), ("/?q=\(long)", [:], "URL"),
            ("/", Headers((0..<2_000).map { ("X-\($0)", Self.text(600)) }), "X-0"),
        ]
        try await kind.run { transport, server in
            server.answer(with: .text("ok"))
            for (path, headers, advice) in rows {
                let error = try await failure {
                    try await transport.send(HTTPRequest(.get, server, path, headers: headers))
                }
                #expect(error.code == .headTooLarge)
                #expect(error.phase == .prepare)
                #expect(!error.isRetryable)
                #expect(error.detail.contains("shorten"))
                #expect(error.detail.contains(advice), "\(error.detail)")
                // The error does not quote the long text.
                #expect(error.detail.utf8.count < 1_000)
            }
            #expect(server.connections.accepted == 0)
        }
    }

    @Test(arguments: Kind.overTLS)
    func headJustBelowTheLimitArrives(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: .text("ok"))
            var request = HTTPRequest(.get, server, headers: ["X-Long": ""])
            // With nginx before the server, the URL that is sent is longer.
            request.headers["X-Long"] = Self.text((1 << 20) - (8 << 10) - 200 - request.headLength)
            let response = try await transport.send(request)
            #expect(response.status == 200)
            #expect(try await server.next().headers["X-Long"]?.utf8.count == request.headers["X-Long"]?.utf8.count)
            request.headers["X-Long"]? += Self.text(201)
            let tooLong = request
            #expect(try await failure { try await transport.send(tooLong) }.code == .headTooLarge)
        }
    }

    @Test func theLimitCountsEveryPartOfTheHead() throws {
        let url = try #require(URL(string: "http://a.test/\(Self.text(50))"))
        let request = HTTPRequest(method: .get, url: url, headers: ["X-A": Self.text(20), "X-B": Self.text(30)])
        let length = request.headLength
        #expect(request.headTooLarge(limit: length) == nil)
        #expect(request.headTooLarge(limit: length - 1)?.detail.contains("the URL, which has 64") == true)
        var longer = request
        longer.headers.append(name: "X-C", value: Self.text(64))
        #expect(longer.headLength == length + 64 + 3 + 32)
        #expect(longer.headTooLarge(limit: length)?.detail.contains("X-C, whose value has 64") == true)
        longer = HTTPRequest(method: "LONGER", url: url, headers: request.headers)
        #expect(longer.headLength == length + 3)
    }

    #if os(Linux)
        @Test(arguments: [(59_000, true, true), (61_000, true, false), (61_000, false, true)])
        func longHeadsUseHTTP1(_ count: Int, _ isSecure: Bool, _ offersHTTP2: Bool) async throws {
            try CurlLibrary.require()
            let loop = try CurlLoop(CurlConfiguration())
            let url = try #require(URL(string: "\(isSecure ? "https" : "http")://a.test/"))
            let request = HTTPRequest(url: url, headers: ["X-Long": Self.text(count)])
            let transfer = try CurlTransfer(request, options: TransportOptions(), on: loop) { _ in }
            #expect(transfer.offersHTTP2 == offersHTTP2)
            loop.submit(.retire)
            await loop.ended()
        }

        @Test(
            "a server with HTTP/2 receives heads of every allowed length",
            .enabled(if: Nginx.isThere, Comment(rawValue: Nginx.comment)),
            arguments: [1_000, 59_000, 70_000, 140_000, 250_000])
        func longHeadsOverTLS(_ count: Int) async throws {
            let server = try await Nginx.server
            let transport = HandshakeTests.transport()
            // The second and the fourth request reuse the connection and the handle of the previous one.
            for body in [Body.none, .none, .string("body"), .string("body")] {
                let request = HTTPRequest(
                    method: .put, url: server.url(.http2, "/read"), headers: ["X-Long": Self.text(count)], body: body)
                let response = try await transport.send(request, options: TransportOptions(trust: server.trust))
                #expect(response.status == 200)
                #expect(response.version == (count < 60_000 ? .http2 : .http1_1))
            }
            await transport.shutdown()
        }
    #endif
}

import Foundation
import LoopbackServer
import TangoRequest
import Testing

@testable import TestSupport

/// Compressed response bodies.
@Suite(.timeLimit(.minutes(20))) struct DecompressionTests {
    typealias Kind = TransportUnderTest

    private static let deliveries: [TransportOptions.Delivery] = [.whole(), .stream]

    private static func gzipResponse(_ bytes: Data) -> Response {
        Response.bytes(bytes).header("Content-Encoding", "gzip").header("X", "y")
    }

    @Test(arguments: Kind.everywhere, [0, 1, 5_000, 1_000_000])
    func decodesGzip(_ kind: Kind, _ size: Int) async throws {
        try await kind.run { transport, server in
            let bytes = generated(size)
            let answer = Self.gzipResponse(Gzip.stored(bytes))
            for way in [answer, answer.chunked(size: 1_001), answer.untilClose()] {
                for delivery in Self.deliveries {
                    server.enqueue(way)
                    let options = TransportOptions(delivery: delivery)
                    var response = try await transport.send(HTTPRequest(.get, server), options: options)
                    try await response.collect()
                    #expect(response.body == bytes)
                    #expect(response.headers["Content-Encoding"] == nil)
                    #expect(response.headers["Content-Length"] == nil)
                    #expect(response.headers["X"] == "y")
                    #expect(try await server.next().headers["Accept-Encoding"]?.contains("gzip") == true)
                }
            }
        }
    }

    @Test("an uncompressed body is not changed", arguments: Kind.everywhere)
    func plainBodies(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            for answer in [Response.text("plain"), .text("plain").header("Content-Encoding", "identity")] {
                server.enqueue(answer)
                let response = try await transport.send(HTTPRequest(.get, server))
                #expect(response.body == Data("plain".utf8))
            }
            server.enqueue(.text("plain"))
            #expect(try await transport.send(HTTPRequest(.get, server)).headers["Content-Length"] == "5")
        }
    }

    @Test(
        "a request with an encoding or a range gets the raw body", arguments: Kind.everywhere(but: .contentCoding))
    func requestsCanTurnDecodingOff(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            let bytes = Gzip.stored(generated(1000))
            server.answer(with: Self.gzipResponse(bytes))
            let requests: [(Headers, Decompression?, String?)] = [
                (["accept-encoding": "gzip;q=0.5"], Decompression(), "gzip;q=0.5"),
                (["Range": "bytes=0-99"], Decompression(), nil), ([:], nil, nil),
            ]
            for (headers, decompression, accepted) in requests {
                // Requests that decode run in between, as they may reuse the same handle.
                _ = try await transport.send(HTTPRequest(.get, server))
                _ = try await server.next()
                let options = TransportOptions(decompression: decompression)
                let response = try await transport.send(HTTPRequest(.get, server, headers: headers), options: options)
                #expect(response.body == bytes)
                #expect(response.headers["Content-Encoding"] == "gzip")
                #expect(response.headers["Content-Length"] == "\(bytes.count)")
                let seen = try await server.next()
                #expect(seen.headers["Accept-Encoding"] == accepted)
                #expect(seen.headers["Range"] == headers["Range"])
            }
        }
    }

    @Test(arguments: Kind.everywhere)
    func exceedingTheRatioFails(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            let bomb = Gzip.zeroes(repeats: 50_000)
            server.answer(with: Self.gzipResponse(bomb))
            for delivery in Self.deliveries {
                for limits in [Decompression(ratio: 50, allowance: 1 << 20), Decompression(limit: 5_000_000)] {
                    let options = TransportOptions(decompression: limits, delivery: delivery)
                    let error = try await failure {
                        var response = try await transport.send(HTTPRequest(.get, server), options: options)
                        try await response.collect()
                        return response
                    }
                    #expect(error.code == .decompressionLimit, "\(error.detail)")
                    #expect(error.phase == .receive)
                    #expect(!error.isRetryable)
                    #expect(error.response?.body.count ?? 0 <= 5_000_000)
                }
                let options = TransportOptions(decompression: Decompression(ratio: 200), delivery: delivery)
                var response = try await transport.send(HTTPRequest(.get, server), options: options)
                try await response.collect()
                #expect(response.body.count == 1 + 258 * 50_000)
            }
        }
    }

    @Test("a slow reader gets the whole decoded body", arguments: Kind.everywhere)
    func slowReadersGetTheWholeBody(_ kind: Kind) async throws {
        try await kind.run(.init(buffer: 50_000)) { transport, server in
            server.answer(with: Self.gzipResponse(Gzip.zeroes(repeats: 20_000)))
            let options = TransportOptions(decompression: Decompression(ratio: 10_000), delivery: .stream)
            let response = try await transport.send(HTTPRequest(.get, server), options: options)
            var count = 0
            for try await portion in response.stream {
                count += portion.count
                // One comparison for each portion: other tests wait for this thread.
                #expect(portion == Data(count: portion.count))
                await Task.yield()
            }
            #expect(count == 1 + 258 * 20_000)
        }
    }

    /// Checks that a response cannot be decoded, whole and as a stream.
    private func expectBadEncoding(
        _ answer: Response, _ transport: any Transport, _ server: LoopbackServer,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for delivery in Self.deliveries {
            server.enqueue(answer)
            let options = TransportOptions(delivery: delivery)
            let error = try await failure {
                var response = try await transport.send(HTTPRequest(.get, server), options: options)
                try await response.collect()
                return response
            }
            #expect(error.code == .badEncoding, "\(error.detail)", sourceLocation: sourceLocation)
            #expect(error.phase == .receive, sourceLocation: sourceLocation)
        }
    }

    @Test(arguments: Kind.everywhere)
    func invalidGzipIsABadEncoding(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            var wrong = Gzip.stored(generated(10_000))
            wrong[14] ^= 0xff
            for bytes in [Data("this is no gzip at all".utf8), wrong] {
                try await expectBadEncoding(Self.gzipResponse(bytes), transport, server)
            }
            server.enqueue(Response.text("x").header("Content-Encoding", "rot13"))
            let error = try await failure { try await transport.send(HTTPRequest(.get, server)) }
            #expect(error.code == .badEncoding)
        }
    }

    @Test(arguments: Kind.everywhere(but: .contentCoding))
    func bytesAfterTheEndOfGzipAreABadEncoding(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            let answer = Self.gzipResponse(Gzip.stored(generated(1000)) + Data("and more".utf8))
            for way in [answer, answer.chunked(size: 101), answer.untilClose()] {
                try await expectBadEncoding(way, transport, server)
            }
        }
    }

    @Test("a compressed body whose connection ends is truncated", arguments: Kind.overTLS)
    func truncatedByTheConnection(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            let answer = Self.gzipResponse(Gzip.stored(generated(100_000)))
            server.enqueue(answer.failing(.truncate, at: .responseBody))
            let error = try await failure { try await transport.send(HTTPRequest(.get, server)) }
            #expect(error.code == .truncated)
            let body = try #require(error.response?.body)
            #expect(!body.isEmpty && body == generated(body.count))
        }
    }

    /// Headers and options of requests, most of which turn decoding off.
    static let plainRequests: [(Headers, Decompression?)] = [
        ([:], Decompression()), ([:], nil), (["Range": "bytes=0-99"], Decompression()),
        (["Accept-Encoding": "identity"], Decompression()),
    ]

    @Test("transfer codings have the decompression limits too", arguments: Kind.all, plainRequests)
    func boundsTransferCodings(_ kind: Kind, _ way: (Headers, Decompression?)) async throws {
        try await kind.run { transport, server in
            // 72 MB out of 70 KB.
            let bomb = Gzip.bomb(repeats: 280_000, isWhole: false)
            let answer = Response.bytes(bomb).untilClose().header("Transfer-Encoding", "gzip")
            for delivery in Self.deliveries {
                server.enqueue(answer)
                let options = TransportOptions(decompression: way.1, delivery: delivery)
                let error = try await failure {
                    var response = try await transport.send(HTTPRequest(.get, server, headers: way.0), options: options)
                    try await response.collect()
                    return response
                }
                #expect(error.code == .decompressionLimit, "\(error)")
                #expect(error.response?.body.count ?? 0 <= 64 << 20)
            }
            // A small body is decoded.
            server.enqueue(
                Response.bytes(Gzip.bomb(repeats: 100, isWhole: true)).untilClose().header("Transfer-Encoding", "gzip"))
            let options = TransportOptions(decompression: way.1)
            let response = try await transport.send(HTTPRequest(.get, server, headers: way.0), options: options)
            #expect(response.body == Data(count: 25_802))
        }
    }

    @Test("an uncompressed body never exceeds the decompression ratio", arguments: Kind.all, deliveries)
    func plainBodiesOfAnyLength(_ kind: Kind, _ delivery: TransportOptions.Delivery) async throws {
        try await kind.run { transport, server in
            server.answer(with: .generated(bytes: 20_000_000))
            for decompression in [nil, Decompression(ratio: 1, allowance: 1000)] {
                let options = TransportOptions(decompression: decompression, delivery: delivery)
                var response = try await transport.send(HTTPRequest(.get, server), options: options)
                try await response.collect()
                #expect(response.body.count == 20_000_000)
            }
            // The limit applies only to requests that decode.
            let options = TransportOptions(decompression: Decompression(limit: 1000), delivery: delivery)
            var response = try await transport.send(
                HTTPRequest(.get, server, headers: ["Range": "bytes=0-"]), options: options)
            try await response.collect()
            #expect(response.body.count == 20_000_000)
        }
    }
}

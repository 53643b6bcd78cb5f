import Foundation
import LoopbackServer
import TangoRequest
import Testing

@testable import TestSupport

/// Delivery of response bodies to their readers.
@Suite(.timeLimit(.minutes(20))) struct DeliveryTests {
    typealias Kind = TransportUnderTest

    @Test(arguments: Kind.overTLS)
    func headIsDeliveredBeforeTheBody(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            let gate = Gate()
            server.answer(with: .generated(bytes: 100_000).header("X", "y").held(by: gate, at: .responseBody))
            var response = try await transport.send(HTTPRequest(.get, server), options: .stream)
            #expect(response.status == 200)
            #expect(response.headers["X"] == "y")
            #expect(response.isStreaming)
            #expect(response.stream.ending == nil)
            #expect(!gate.isOpen)
            gate.open()
            try await response.collect()
            #expect(response.body == generated(100_000))
        }
    }

    @Test(arguments: Kind.overTLS)
    func portionsAreDeliveredAsTheServerSendsThem(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            let gates = (0..<5).map { _ in Gate() }
            server.answer(
                with: .stream { writer in
                    for (number, gate) in gates.enumerated() {
                        try await writer.write("part \(number)")
                        try await gate.opened()
                    }
                })
            let response = try await transport.send(HTTPRequest(.get, server), options: .stream)
            var iterator = response.stream.makeAsyncIterator()
            for (number, gate) in gates.enumerated() {
                let portion = try #require(await iterator.next())
                #expect(portion == Data("part \(number)".utf8))
                gate.open()
            }
            #expect(try await iterator.next() == nil)
            #expect(try await iterator.next() == nil)
            #expect(response.stream.ending != nil)
        }
    }

    @Test(arguments: Kind.overTLS(but: .trailers))
    func trailersAndMetricsAreSetAtTheEnd(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: .generated(bytes: 3_000_000).trailers(["X-Sum": "7"]))
            let response = try await transport.send(HTTPRequest(.get, server), options: .stream)
            let stream = response.stream
            var count = 0
            for try await portion in stream {
                #expect(!portion.isEmpty)
                count += portion.count
            }
            #expect(count == 3_000_000)
            let ending = try #require(stream.ending)
            #expect(ending.trailers["X-Sum"] == "7")
            #expect(ending.metrics.bodyBytesReceived == 3_000_000)
        }
    }

    @Test(arguments: Kind.overTLS(but: .backPressure))
    func slowReaderSlowsTheServerDown(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            let written = Recorded<Int>()
            let portion = [UInt8](generated(251 * 256))
            server.answer("/other", with: .text("ok"))
            server.answer(
                with: .stream { writer in
                    for number in 0..<Portions.beyondBuffers {
                        try await writer.write(portion)
                        written.add(number)
                    }
                })
            let options = TransportOptions(delivery: .stream).timing()
            let response = try await transport.send(HTTPRequest(.get, server), options: options)
            var iterator = response.stream.makeAsyncIterator()
            var count = try #require(await iterator.next()).count
            let before = try await stillness(of: { written.all.count }, transport, server)
            #expect(before < Portions.inBuffers, "the server could write \(before) portions")
            while let portion = try await iterator.next() {
                #expect(portion.first == UInt8(count % 251))
                count += portion.count
            }
            #expect(count == Portions.beyondBuffers * portion.count)
        }
    }

    @Test("a buffer of any size delivers everything", arguments: Kind.everywhere, [1, 1000, 65_536, 10_000_000])
    func buffersOfAnySize(_ kind: Kind, _ size: Int) async throws {
        try await kind.run(.init(buffer: size)) { transport, server in
            server.answer(with: .generated(bytes: 3_000_000).chunked(size: 10_000))
            var response = try await transport.send(HTTPRequest(.get, server), options: .stream)
            try await response.collect()
            #expect(response.body == generated(3_000_000))
        }
    }

    @Test(arguments: Kind.overTLS)
    func endingALoopEarlyClosesTheConnection(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            let gate = Gate()
            server.answer(with: kind.endlessResponse.held(by: gate, at: .responseBody))
            let response = try await transport.send(HTTPRequest(.get, server), options: .stream)
            for try await _ in response.stream { break }
            #expect(try await server.connectionEnded(0) != .open)
            withExtendedLifetime(response) {}
        }
    }

    @Test(arguments: Kind.overTLS)
    func releasingAResponseClosesTheConnection(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: kind.endlessResponse)
            do { _ = try await transport.send(HTTPRequest(.get, server), options: .stream) }
            #expect(try await server.connectionEnded(0) != .open)
        }
    }

    @Test(arguments: Kind.overTLS)
    func cancellingAStreamClosesTheConnection(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: kind.endlessResponse)
            let response = try await transport.send(HTTPRequest(.get, server), options: .stream)
            response.stream.cancel()
            response.stream.cancel()
            #expect(try await server.connectionEnded(0) != .open)
            var iterator = response.stream.makeAsyncIterator()
            await #expect(throws: CancellationError.self) { while try await iterator.next() != nil {} }
            await #expect(throws: CancellationError.self) { try await iterator.next() }
        }
    }

    @Test(arguments: Kind.everywhere)
    func wholeBodiesHaveALimit(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            for way in [Response.generated(bytes: 100_000), .generated(bytes: 100_000).chunked(size: 3_000)] {
                server.answer(with: way.header("X", "y"))
                for limit in [100_000, 100_001, 1 << 40] {
                    let options = TransportOptions(delivery: .whole(limit: limit))
                    let response = try await transport.send(HTTPRequest(.get, server), options: options)
                    #expect(response.body.count == 100_000)
                }
                for limit in [0, 1, 50_000, 99_999] {
                    let options = TransportOptions(delivery: .whole(limit: limit))
                    let error = try await failure {
                        try await transport.send(HTTPRequest(.get, server), options: options)
                    }
                    #expect(error.code == .responseTooLarge)
                    #expect(error.phase == .receive)
                    #expect(error.request?.url == server.url("/"))
                    let response = try #require(error.response)
                    #expect(response.status == 200)
                    #expect(response.headers["X"] == "y")
                    #expect(response.body.count <= limit)
                    #expect(response.body == generated(response.body.count))
                }
            }
            server.answer(with: .status(204))
            let options = TransportOptions(delivery: .whole(limit: 0))
            #expect(try await transport.send(HTTPRequest(.get, server), options: options).status == 204)
        }
    }

    @Test("portions that arrived before an error are read before it", arguments: Kind.overTLS)
    func portionsComeBeforeErrors(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: .generated(bytes: 100_000).failing(.truncate, at: .responseBody))
            let response = try await transport.send(HTTPRequest(.get, server), options: .stream)
            var iterator = response.stream.makeAsyncIterator()
            var bytes = Data()
            let error = try await failure {
                while let portion = try await iterator.next() { bytes.append(portion) }
                return bytes.count
            }
            #expect(error.code == .truncated)
            #expect(error.phase == .receive)
            #expect(error.request?.url == server.url("/"))
            #expect(bytes == generated(50_000))
            let again = try await failure { try await iterator.next() }
            #expect(again.code == .truncated)
            #expect(response.stream.ending == nil)
        }
    }

    @Test(arguments: Kind.everywhere)
    func unreadStreamsDoNotBlockOthers(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: .generated(bytes: 2_000_000))
            // These responses have no reader.
            var held: [HTTPResponse] = []
            for _ in 0..<5 { held.append(try await transport.send(HTTPRequest(.get, server), options: .stream)) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        var response = try await transport.send(HTTPRequest(.get, server), options: .stream)
                        try await response.collect()
                        #expect(response.body == generated(2_000_000))
                    }
                }
                try await group.waitForAll()
            }
            for var response in held {
                try await response.collect()
                #expect(response.body.count == 2_000_000)
            }
        }
    }
}

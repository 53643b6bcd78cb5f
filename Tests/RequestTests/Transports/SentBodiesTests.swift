import Foundation
import LoopbackServer
import Synchronization
import TangoRequest
import Testing

/// Bodies of requests, as the server gets them.
@Suite(.timeLimit(.minutes(10))) struct SentBodiesTests {
    typealias Kind = TransportUnderTest

    static let sizes = [0, 1, 1000, 65_535, 65_536, 65_537, 1_048_576, 5_000_000]

    enum Form: CaseIterable, Sendable {
        case data, file, stream, streamWithLength, replayableStream

        /// A body with these bytes.
        func body(_ bytes: Data, _ files: ScratchFiles) throws -> Body {
            let portions = stride(from: 0, to: bytes.count, by: 70_001).map {
                bytes[$0..<min($0 + 70_001, bytes.count)]
            }
            switch self {
            case .data: return .data(bytes)
            case .file: return .file(try files.file("body-\(bytes.count)", bytes))
            case .stream: return .stream(Portions(portions))
            case .streamWithLength: return .stream(Portions(portions), length: bytes.count)
            case .replayableStream: return .stream(making: { Portions(portions) })
            }
        }

        var isChunked: Bool { self == .stream || self == .replayableStream }
    }

    @Test(arguments: Kind.overTLS, Form.allCases)
    func arriveWholeAndInOrder(_ kind: Kind, _ form: Form) async throws {
        let files = ScratchFiles()
        try await kind.run { transport, server in
            server.answer(with: .text("ok"))
            for method in [HTTPMethod.post, .put, .get, .delete]
            where method != .get || !kind.limitations.contains(.getBodies) {
                for size in Self.sizes {
                    let bytes = generated(size)
                    let body = try form.body(bytes, files)
                    let response = try await transport.send(HTTPRequest(method, server, body: body))
                    #expect(response.body == Data("ok".utf8))
                    let seen = try await server.next()
                    #expect(seen.method == method.rawValue)
                    #expect(seen.body == bytes, "\(method), \(size) bytes")
                    #expect(seen.headers["Content-Length"] == (form.isChunked ? nil : "\(size)"))
                    #expect(seen.headers["Transfer-Encoding"] == (form.isChunked ? "chunked" : nil))
                    #expect(response.metrics.bodyBytesSent == size)
                }
            }
            // Over TLS, a libcurl that may lose early responses in HTTP/2 has a connection for short bodies and one for long ones.
            let most = kind.front != nil && !form.isChunked ? 2 : 1
            #expect(server.connections.accepted <= most || kind.limitations.contains(.ownConnections))
        }
    }

    @Test(arguments: Kind.everywhere)
    func aSliceOfDataIsSentAsWhatItIs(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: .text("ok"))
            for size in [10, 200_000] {
                let slice = generated(size * 3)[size..<size * 2]
                _ = try await transport.send(HTTPRequest(.put, server, body: .data(slice)))
                #expect(try await server.next().body == Data(slice))
            }
        }
    }

    @Test("portions leave when they come, not when there are many", arguments: Kind.everywhere(but: .streamedUploads))
    func portionsLeaveOneByOne(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: .text("ok"))
            let gate = Gate()
            let portions = Portions { number in
                if number == 1 { try await gate.opened() }
                return number < 2 ? Data("part\(number)".utf8) : nil
            }
            async let response = transport.send(HTTPRequest(.post, server, body: .stream(portions)))
            try await server.happened { if case .head = $0 { true } else { false } }
            gate.open()
            _ = try await response
            let seen = try await server.next()
            #expect(seen.text == "part0part1")
            // On a busy machine the second may have come before the first had left.
            #expect([[5, 5], [10]].contains(seen.chunkSizes))
        }
    }

    @TaskLocal private static var sender = "nobody"

    @Test("a stream sees no values of whoever happens to drive", arguments: Kind.overTLS(but: .streamedUploads))
    func streamsHaveNoValues(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: .text("ok"))
            let seen = Recorded<String>()
            for _ in 0..<20 {
                let portions = Portions { number in
                    seen.add(Self.sender)
                    return number < 1 ? Data("part".utf8) : nil
                }
                try await Self.$sender.withValue("somebody") {
                    _ = try await transport.send(HTTPRequest(.post, server, body: .stream(portions)))
                }
            }
            #expect(Set(seen.all) == ["nobody"])
        }
    }

    @Test("a server that does not read makes the stream wait", arguments: Kind.everywhere(but: .streamedUploads))
    func slowServersSlowTheStreamDown(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            let gate = Gate()
            server.answer("/other", with: .text("ok"))
            server.answer(with: .text("ok").held(by: gate, at: .requestHead))
            let portion = generated(64 << 10)
            let count = Portions.beyondBuffers
            let portions = Portions { $0 < count ? portion : nil }
            let task = Task {
                try await transport.send(
                    HTTPRequest(.post, server, body: .stream(portions, length: count * 65_536)),
                    options: TransportOptions().timing())
            }
            try await gate.reached()
            // Nothing more is taken once all that can hold bytes on the way is full.
            let before = try await stillness(of: { portions.taken.all.count }, transport, server)
            #expect(before < Portions.inBuffers, "the stream was read ahead of the server: \(before) portions")
            gate.open()
            #expect(try await task.value.status == 200)
            #expect(server.requests.first { $0.method == "POST" }?.bodyCount == count * 65_536)
        }
    }

    /// A response before the end of the body. A server of clear HTTP closes the connection with it, and goes on reading.
    /// The tunnel of nginx would not: it resets the client's connection, and with it a response that was not read yet.
    private static func early(_ response: Answer, by kind: Kind) -> Answer {
        kind.front == nil ? response.early().closing() : response.early()
    }

    @Test(arguments: Kind.everywhere(but: .streamedUploads))
    func earlyAnswersEndTheSending(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: Self.early(.text("too large", status: 413), by: kind))
            let portion = Data(count: 100_000)
            let body = Body.stream(Portions { $0 < 100_000 ? portion : nil })
            let response = try await transport.send(HTTPRequest(.post, server, body: body))
            #expect(response.status == 413)
            #expect(response.body == Data("too large".utf8))
        }
    }

    /// Over HTTP/1.1, nginx closes connections that it has promised to keep: a stream goes there where HTTP/2 may lose responses.
    @Test("an answer that comes while the stream goes on is an answer", arguments: Kind.overTLS)
    func answersThatRaceTheStream(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: Self.early(.text("no", status: 403), by: kind))
            for _ in 0..<200 {
                let portions = Portions { number in
                    await Task.yield()
                    return number < 20 ? Data(count: 100) : nil
                }
                let response = try await transport.send(HTTPRequest(.post, server, body: .stream(portions)))
                #expect(response.status == 403)
                #expect(response.body == Data("no".utf8))
            }
        }
    }

    @Test(arguments: Kind.everywhere)
    func manyAreSentAtOnce(_ kind: Kind) async throws {
        let files = ScratchFiles()
        try await kind.run { transport, server in
            server.answer(with: .text("ok"))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<50 {
                    let form = Form.allCases[number % Form.allCases.count]
                    let bytes = generated(number * 9_973)
                    let body = try form.body(bytes, files)
                    group.addTask {
                        let response = try await transport.send(HTTPRequest(.post, server, "/\(number)", body: body))
                        #expect(response.status == 200)
                    }
                }
                try await group.waitForAll()
            }
            for seen in server.requests {
                let number = try #require(Int(seen.path.dropFirst()))
                #expect(seen.body == generated(number * 9_973))
            }
            #expect(server.requestCount == 50)
        }
    }
}

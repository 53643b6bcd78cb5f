import Foundation
import LoopbackServer
import Synchronization
import TangoRequest
import Testing

@testable import TestSupport

/// Request bodies, as the server receives them.
@Suite(.timeLimit(.minutes(20))) struct SentBodiesTests {
    typealias Kind = TransportUnderTest

    static let sizes = [0, 1, 1000, 65_535, 65_536, 65_537, 1_048_576, 5_000_000]

    enum Form: CaseIterable, Sendable {
        case data, file, stream, streamWithLength, replayableStream

        /// Returns a body of this form with the given bytes.
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
    func bodiesArriveCompleteAndInOrder(_ kind: Kind, _ form: Form) async throws {
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
            // Some versions of libcurl lose early responses over HTTP/2. With them, short and long bodies use one connection each.
            let most = kind.front != nil && !form.isChunked ? 2 : 1
            #expect(server.connections.accepted <= most || kind.limitations.contains(.ownConnections))
        }
    }

    @Test(arguments: Kind.everywhere)
    func sliceOfDataSendsOnlyItsBytes(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: .text("ok"))
            for size in [10, 200_000] {
                let slice = generated(size * 3)[size..<size * 2]
                _ = try await transport.send(HTTPRequest(.put, server, body: .data(slice)))
                #expect(try await server.next().body == Data(slice))
            }
        }
    }

    @Test("each portion is sent as soon as the stream returns it", arguments: Kind.everywhere(but: .streamedUploads))
    func portionsAreSentOneByOne(_ kind: Kind) async throws {
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
            // On a busy machine, the second portion may be ready before the first is sent.
            #expect([[5, 5], [10]].contains(seen.chunkSizes))
        }
    }

    @TaskLocal private static var sender = "default"

    @Test("a stream sees no task-local values of the caller", arguments: Kind.overTLS(but: .streamedUploads))
    func streamsSeeNoTaskLocalValues(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: .text("ok"))
            let seen = Recorded<String>()
            for _ in 0..<20 {
                let portions = Portions { number in
                    seen.add(Self.sender)
                    return number < 1 ? Data("part".utf8) : nil
                }
                try await Self.$sender.withValue("caller") {
                    _ = try await transport.send(HTTPRequest(.post, server, body: .stream(portions)))
                }
            }
            #expect(Set(seen.all) == ["default"])
        }
    }

    @Test("a server that does not read slows the stream down", arguments: Kind.everywhere(but: .streamedUploads))
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
            // The stream is not read further once all buffers up to the server are full.
            let before = try await stillness(of: { portions.taken.all.count }, transport, server)
            #expect(before < Portions.inBuffers, "the stream was read ahead of the server: \(before) portions")
            gate.open()
            #expect(try await task.value.status == 200)
            #expect(server.requests.first { $0.method == "POST" }?.bodyCount == count * 65_536)
        }
    }

    /// A response that is sent before the end of the body. Without TLS, the server closes the connection but keeps
    /// reading. Behind the nginx tunnel, a close would reset the client's connection and lose an unread response.
    private static func early(_ response: Response, by kind: Kind) -> Response {
        kind.front == nil ? response.beforeRequestBody().closing() : response.beforeRequestBody()
    }

    @Test(arguments: Kind.everywhere(but: .streamedUploads))
    func earlyResponseEndsTheUpload(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: Self.early(.text("too large", status: 413), by: kind))
            let portion = Data(count: 100_000)
            let body = Body.stream(Portions { $0 < 100_000 ? portion : nil })
            let response = try await transport.send(HTTPRequest(.post, server, body: body))
            #expect(response.status == 413)
            #expect(response.body == Data("too large".utf8))
        }
    }

    /// Over HTTP/1.1, nginx closes connections that it announced as persistent. Streams use HTTP/1.1 if libcurl may lose
    /// responses over HTTP/2.
    @Test("a response that arrives during the upload is delivered", arguments: Kind.overTLS)
    func responsesDuringTheUploadAreDelivered(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: Self.early(.text("no", status: 403), by: kind))
            for _ in 0..<200 {
                let portions = Portions { number in
                    // Each yield waits for all that the other tests do at that moment.
                    if number.isMultiple(of: 5) { await Task.yield() }
                    return number < 20 ? Data(count: 100) : nil
                }
                let response = try await transport.send(HTTPRequest(.post, server, body: .stream(portions)))
                #expect(response.status == 403)
                #expect(response.body == Data("no".utf8))
            }
        }
    }

    @Test(arguments: Kind.everywhere)
    func manyBodiesAreSentAtOnce(_ kind: Kind) async throws {
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

import Foundation
import LoopbackServer
import TangoRequest
import Testing

@testable import TestSupport

/// A streamed body has one reader.
@Suite(.timeLimit(.minutes(20))) struct OneReaderTests {
    typealias Kind = TransportUnderTest

    /// The object that sends the request of a test.
    enum Door: CaseIterable {
        case transport, client

        func send(_ request: HTTPRequest, by transport: any Transport) async throws -> HTTPResponse {
            switch self {
            case .transport: try await transport.send(request, options: .stream)
            case .client: try await Client { $0.transport = transport }.send(request, delivery: .stream)
            }
        }
    }

    /// Runs `body` with a response in two parts. The first reader has read the first part; the gate holds the second.
    private func withReader(
        _ kind: Kind, _ door: Door,
        _ body: @escaping @Sendable (HTTPResponse, Task<Data, any Error>, Gate) async throws -> Void
    ) async throws {
        try await kind.run { transport, server in
            let (gate, isReading) = (Gate(), Gate())
            server.answer(
                with: .stream { writer in
                    try await writer.write("first ")
                    try await gate.opened()
                    try await writer.write("second")
                })
            let response = try await door.send(HTTPRequest(.get, server), by: transport)
            let reader = Task {
                var all = Data()
                for try await portion in response.stream {
                    all += portion
                    isReading.open()
                }
                return all
            }
            try await isReading.opened()
            try await body(response, reader, gate)
            gate.open()
        }
    }

    @Test(arguments: Kind.all, Door.allCases)
    func secondReaderFailsAndTheFirstReadsAll(_ kind: Kind, _ door: Door) async throws {
        try await withReader(kind, door) { response, reader, gate in
            for _ in 0..<3 {
                let error = try await failure {
                    for try await portion in response.stream { Issue.record("\(portion) was read twice") }
                }
                #expect(error.code == .bodyAlreadyRead)
                #expect(error.phase == .receive)
                #expect(!error.isRetryable)
            }
            let error = try await failure {
                var copy = response
                try await copy.collect()
            }
            #expect(error.code == .bodyAlreadyRead)
            gate.open()
            #expect(try await reader.value == Data("first second".utf8))
            #expect(response.stream.ending != nil)
        }
    }

    @Test(arguments: Kind.all, Door.allCases)
    func firstReaderCanBeCancelledAfterASecondFailed(_ kind: Kind, _ door: Door) async throws {
        try await withReader(kind, door) { response, reader, _ in
            let error = try await failure { for try await _ in response.stream {} }
            #expect(error.code == .bodyAlreadyRead)
            reader.cancel()
            await #expect(throws: CancellationError.self) { try await reader.value }
        }
    }

    @Test(arguments: Kind.all, Door.allCases)
    func readingABodyAgainFails(_ kind: Kind, _ door: Door) async throws {
        try await withReader(kind, door) { response, reader, gate in
            gate.open()
            _ = try await reader.value
            let error = try await failure { for try await _ in response.stream {} }
            #expect(error.code == .bodyAlreadyRead)
        }
    }

    @Test func onlyOneOfManyReadersSucceeds() async throws {
        for _ in 0..<200 {
            let stream = BodyStream(ScriptedBody(["ab", "c"]))
            let read = await withTaskGroup(of: Data?.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        var all = Data()
                        do {
                            for try await portion in stream { all += portion }
                        } catch RequestError.Code.bodyAlreadyRead {
                            return nil
                        } catch {
                            Issue.record(error)
                        }
                        return all
                    }
                }
                return await group.reduce(into: [Data]()) { all, data in if let data { all.append(data) } }
            }
            #expect(read == [Data("abc".utf8)])
        }
    }
}

import Foundation
import TangoPromise
import Testing

@testable import TangoRequest
@testable import TestSupport

/// Event streams of a server that is not ours: sse-starlette, which `.ci/sse` starts.
enum SSEServer {
    static let url = ProcessInfo.processInfo.environment["TANGO_SSE"].flatMap { URL(string: $0) }
    static let isThere = url != nil
    static let comment: Comment = "it needs the server of .ci/sse: run the tests with that script, which sets TANGO_SSE"
}

@Suite(.enabled(if: SSEServer.isThere, SSEServer.comment), .timeLimit(.minutes(20)))
struct SSEServerTests {
    struct Update: Codable, Hashable, Sendable {
        let id: Int
    }

    struct Connections: Codable, Sendable {
        let open: Int
        let closed: Int
    }

    private let client = Client(baseURL: SSEServer.url) { $0.timeouts = .patient }

    @Test func eventsContinueAfterEachConnectionUntilTheServerStopsThem() async throws {
        let call = Fetch(.get("/events"), of: client, as: EventStream<Update>.self).start()
        #expect(try await call.value.reduce(into: []) { $0.append($1.id) } == Array(1...9))
        #expect(call.attempts.map(\.cause) == [.first, .reconnection, .reconnection, .reconnection])
        #expect(call.attempts.map { $0.request.headers["Last-Event-ID"] } == [nil, "3", "6", "9"])
        #expect(call.attempts.last?.response?.status == 204)
    }

    @Test func leavingClosesTheConnection() async throws {
        func connections() async throws -> Connections { try await client.get("/state").value }
        let before = try await connections()
        for try await event in try await Fetch(.get("/endless"), of: client, as: EventStream<String>.self).promise.value
        {
            if event == "event 5" { break }
        }
        while try await connections().closed <= before.closed {}
        let after = try await connections()
        #expect(after.open == after.closed)
    }

    @Test func pingsKeepAQuietConnection() async throws {
        let policy = EventStreamPolicy(reconnects: false, idle: .seconds(30))
        let events: EventStream<ServerSentEvent> = try await Fetch(.get("/silent"), of: client, by: .events(policy))
            .promise.value
        #expect(try await events.reduce(into: []) { $0.append($1) } == [ServerSentEvent(data: "first\nsecond")])
    }

    @Test func rowsAreDecoded() async throws {
        let rows = try await Fetch(.get("/rows"), of: client, as: NDJSON<Update>.self).promise.value
        #expect(try await rows.reduce(into: []) { $0.append($1.id) } == Array(0..<1000))
    }
}

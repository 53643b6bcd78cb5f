import LoopbackServer
import TangoCompression
import Testing

@testable import TestSupport

/// The snippets about compressed bodies.
@Suite(.timeLimit(.minutes(20)))
struct CompressionSnippets: SampleAPI {
    typealias Request<Output: Sendable> = SampleRequest<Output>

    struct Reading: Codable, Sendable { let value: Int }

    @Test func readingsAreCompressed() async throws {
        final class SendReadings: Request<Void> {
            let readings: [Reading]
            init(_ readings: [Reading]) { self.readings = readings }
            override var endpoint: Endpoint { .post("/readings", body: .json(readings).compressed()) }
        }
        server.answer("/readings", with: .status(204))
        try await SendReadings([Reading(value: 1)]).promise.value
        let sent = server.requests.first { $0.path == "/readings" }
        #expect(sent?.headers["Content-Encoding"] == "gzip")
        #expect(sent?.body.prefix(2) == Data([0x1f, 0x8b]))
    }
}

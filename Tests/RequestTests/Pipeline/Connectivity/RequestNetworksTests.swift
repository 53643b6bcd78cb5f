import Foundation
import TangoHTTP
import TangoTransport
import Testing

@testable import TangoRequest
@testable import TestSupport

/// The kinds of networks of clients and requests, as transports get them.
@Suite(.timeLimit(.minutes(20)))
struct RequestNetworksTests {
    /// A transport that records the options of each request.
    private final class Recorder: Transport {
        let networks = Recorded<NetworkKinds>()
        let capabilities: TransportCapabilities = [.tls]

        func start(
            _ request: HTTPRequest, options: TransportOptions, completion: @escaping TransportCompletion
        ) -> TransportTask {
            networks.add(options.networks)
            return TransportTask(completing: completion) { HTTPResponse(status: 204, request: request) }
        }

        func shutdown() async {}
    }

    private final class Sparing: Fetch<Void> {
        override var networks: NetworkKinds { [] }
    }

    @Test func requestOverridesTheClient() async throws {
        let recorder = Recorder()
        let client = Client(baseURL: URL(string: "https://example.com")) { $0.transport = recorder }
        let saving = client.with { $0.networks = [.cellular] }
        try await Fetch<Void>(.get("/a"), of: client).promise.value
        try await Fetch<Void>(.get("/a"), of: saving).promise.value
        try await Sparing(.get("/a"), of: saving).promise.value
        _ = try await saving.send(HTTPRequest(url: try #require(URL(string: "https://example.com/a"))))
        #expect(recorder.networks.all == [.all, [.cellular], [], [.cellular]])
    }
}

import Foundation
import LoopbackServer
import TangoRequest
import Testing

/// A transport that is put through the conformance suite, and how to make one of its kind.
///
/// A new transport joins by one more element of ``all``: every test of the suite takes its turn with each.
struct TransportUnderTest: Sendable, CustomTestStringConvertible {
    /// How a transport is made for one test; each kind has a configuration of its own, of which this is what they share.
    struct Wishes: Sendable {
        var proxy = Proxy.direct
        var unixSocket: String?
        var addresses: [String: [String]] = [:]
        var limit: Int?
        var limitPerHost: Int?
        var buffer: Int?
    }

    let name: String
    /// What the transport is known to be able to do: a test checks that it says the same.
    let capabilities: TransportCapabilities
    /// What it cannot do, or does in another way, for which `LimitationTests` have tests of their own.
    let limitations: Set<Limitation>
    private let making: @Sendable (Wishes) throws -> any Transport
    /// What of nginx stands before the server; nil where nothing does.
    private(set) var front: NginxServer.Site?

    init(
        _ name: String, capabilities: TransportCapabilities, limitations: Set<Limitation> = [],
        making: @escaping @Sendable (Wishes) throws -> any Transport
    ) {
        self.name = name
        self.capabilities = capabilities
        self.limitations = limitations
        self.making = making
    }

    var testDescription: String { name }

    private func behind(_ site: NginxServer.Site, _ text: String) -> TransportUnderTest {
        var copy = TransportUnderTest(
            "\(name) \(text)", capabilities: capabilities, limitations: limitations, making: making)
        copy.front = site
        return copy
    }

    func make(_ wishes: Wishes = Wishes()) throws -> any Transport {
        try making(wishes)
    }

    #if os(Linux)
        #if URLSessionOnLinux
            static let all: [TransportUnderTest] = [curl, session]
        #else
            static let all: [TransportUnderTest] = [curl]
        #endif

        /// The same over TLS, where nginx is there: bytes pass it as they are.
        static let overTLS =
            (Nginx.isAlone ? [] : all) + (Nginx.isThere ? trusting.map { $0.behind(.tunnel, "over TLS") } : [])

        /// The same over TLS, and over HTTP/2, where nginx is there: it reads requests and answers, and writes them anew.
        static let everywhere = overTLS + (Nginx.isThere ? trusting.map { $0.behind(.http2, "over HTTP/2") } : [])

        /// Those that can be told to trust the authority of these tests.
        private static let trusting = all.filter { $0.capabilities.contains(.authorities) }

        private static let curl = TransportUnderTest(
            "CurlTransport",
            capabilities: [
                .tls, .customTrust, .http2, .responseBackPressure, .requestBackPressure, .trailers,
                .informationalResponses,
                .exactHeaders, .getBodies, .phaseMetrics, .decompressionControl,
            ]
        ) { wishes in
            var configuration = CurlConfiguration(
                proxy: wishes.proxy, unixSocket: wishes.unixSocket, addresses: wishes.addresses, limit: wishes.limit,
                limitPerHost: wishes.limitPerHost)
            if let buffer = wishes.buffer { configuration.buffer = buffer }
            return CurlTransport(configuration)
        }

        #if URLSessionOnLinux
            private static let session = TransportUnderTest(
                "URLSessionTransport",
                capabilities: [.tls, .http2, .informationalResponses],
                limitations: Set(Limitation.allCases)
            ) { wishes in
                var configuration = URLSessionTransport.Configuration(
                    proxy: wishes.proxy, limit: wishes.limit, limitPerHost: wishes.limitPerHost)
                if let buffer = wishes.buffer { configuration.buffer = buffer }
                return URLSessionTransport(configuration)
            }
        #endif
    #else
        static let all: [TransportUnderTest] = []
        static let overTLS = all
        static let everywhere = all
    #endif

    // The transports that a row is for: those without the limitations that it runs into.

    static func all(but limitations: Limitation...) -> [TransportUnderTest] {
        all.filter { $0.limitations.isDisjoint(with: limitations) }
    }

    static func overTLS(but limitations: Limitation...) -> [TransportUnderTest] {
        overTLS.filter { $0.limitations.isDisjoint(with: limitations) }
    }

    static func everywhere(but limitations: Limitation...) -> [TransportUnderTest] {
        everywhere.filter { $0.limitations.isDisjoint(with: limitations) }
    }
}

extension TransportUnderTest {
    /// A response that nobody can read to its end, as fast as is good for the transport.
    var endlessAnswer: Answer {
        let answer = Answer.generated(bytes: 1 << 40)
        return limitations.contains(.floods) ? answer.throttled(bytes: 20_000, every: .milliseconds(10)) : answer
    }

    /// Runs a test with a server and a transport of its own, both of which are closed behind it.
    ///
    /// What has not ended after minutes is reported as an issue, rather than never.
    func run(
        _ wishes: Wishes = Wishes(), sourceLocation: SourceLocation = #_sourceLocation,
        _ body: @escaping @Sendable (any Transport, LoopbackServer) async throws -> Void
    ) async throws {
        let server = try LoopbackServer()
        var transport = try make(wishes)
        if let front, let port = server.url.port {
            transport = FrontedTransport(transport: transport, nginx: try await Nginx.server, site: front, port: port)
        }
        let ready = transport
        try await within(sourceLocation: sourceLocation) { try await body(ready, server) }
        try await within(sourceLocation: sourceLocation) { await ready.shutdown() }
        server.stop()
    }
}

import Foundation
import LoopbackServer
import TangoRequest
import TangoURLSession
import Testing

/// A kind of transport in the conformance suite, with a closure that creates one.
///
/// To test a new transport, add it to ``all``: every test of the suite runs with each element.
struct TransportUnderTest: Sendable, CustomTestStringConvertible {
    /// The settings of a transport for one test, which the configurations of all kinds share.
    struct Wishes: Sendable {
        var proxy = Proxy.direct
        var unixSocket: String?
        var addresses: [String: [String]] = [:]
        var limit: Int?
        var limitPerHost: Int?
        var buffer: Int?
    }

    let name: String
    /// The expected capabilities. A test compares them with those that the transport reports.
    let capabilities: TransportCapabilities
    /// The features that the transport lacks or implements differently. `LimitationTests` tests each.
    let limitations: Set<Limitation>
    private let making: @Sendable (Wishes) throws -> any Transport
    /// The nginx site in front of the server, or nil.
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

        /// The transports, also over TLS if nginx is available. It passes the bytes unchanged.
        static let overTLS =
            (Nginx.isAlone ? [] : all) + (Nginx.isThere ? trusting.map { $0.behind(.tunnel, "over TLS") } : [])

        /// The transports, also over TLS and over HTTP/2 if nginx is available. For HTTP/2, nginx parses requests and responses
        /// and writes them anew.
        static let everywhere = overTLS + (Nginx.isThere ? trusting.map { $0.behind(.http2, "over HTTP/2") } : [])

        /// The transports that can trust the certificate authority of the tests.
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

    // The transports without the given limitations.

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
    /// A response of 1 TB, throttled for transports with the limitation `floods`.
    var endlessResponse: Response {
        let answer = Response.generated(bytes: 1 << 40)
        return limitations.contains(.floods) ? answer.throttled(bytes: 20_000, every: .milliseconds(10)) : answer
    }

    /// Runs a test with a server and a transport of its own, and closes both afterwards.
    ///
    /// A test or shutdown that does not end within minutes is recorded as an issue.
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

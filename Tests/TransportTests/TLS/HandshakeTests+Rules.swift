import Testing

@testable import TangoRequest
@testable import TestSupport

/// The rules that the servers are tested with, and the routes to the servers.
extension HandshakeTests {
    /// A rule that is made from the test certificates.
    struct Rule: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let make: @Sendable (TestCertificates) throws -> ServerTrust

        init(_ name: String, _ make: @escaping @Sendable (TestCertificates) throws -> ServerTrust) {
            testDescription = name
            self.make = make
        }

        static let authority = Rule("authority") { .authorities([$0.source("authority.pem")]) }
        static let system = Rule("system") { _ in .system }
        static let development = Rule("development") { _ in .developmentHost("right.test") }
    }

    static let pair = Rule("client, key in a file") {
        .authorities([$0.source("authority.pem")])
            + .clientCertificate($0.source("client.pem"), key: $0.source("client.key"))
    }
    static let stranger = Rule("client of another authority") {
        .authorities([$0.source("authority.pem")])
            + .clientCertificate($0.source("other-client.pem"), key: $0.source("other-client.key"))
    }

    /// A route to a server.
    enum Route: CaseIterable {
        case direct
        /// In a tunnel through an HTTP proxy, which sees only the destination.
        case proxied

        /// Runs `body` with a transport that takes this route.
        func run(
            _ configuration: CurlConfiguration = CurlConfiguration(),
            _ body: (CurlTransport, TunnelProxy) async throws -> Void
        ) async throws {
            let proxy = try TunnelProxy()
            var configuration = configuration
            configuration.proxy = self == .direct ? .direct : .http(host: "127.0.0.1", port: proxy.port)
            try await body(HandshakeTests.transport(configuration), proxy)
            #expect((proxy.accepted > 0) == (self == .proxied))
        }
    }

    /// Returns a transport that resolves the host names of the tests.
    static func transport(_ configuration: CurlConfiguration = CurlConfiguration(proxy: .direct)) -> CurlTransport {
        var configuration = configuration
        configuration.addresses = ["right.test": ["127.0.0.1"], "other.test": ["127.0.0.1"]]
        return CurlTransport(configuration)
    }
}

import Foundation
import LoopbackServer
import Testing

@testable import TangoCurl
@testable import TangoRequest
@testable import TangoTransport
@testable import TestSupport

/// Proxies that refuse a tunnel.
@Suite(.timeLimit(.minutes(20))) struct TunnelRefusalTests {
    typealias Kind = TransportUnderTest

    // MARK: The decision

    static let statuses: [(status: Int, code: RequestError.Code?)] = [
        (0, nil), (200, nil), (299, nil), (302, .proxyFailed), (400, .proxyFailed), (401, .proxyFailed),
        (403, .proxyFailed), (407, .proxyAuthenticationRequired), (502, .proxyFailed), (503, .proxyFailed),
    ]

    @Test(arguments: statuses)
    func statusDeterminesTheCode(_ status: Int, _ code: RequestError.Code?) {
        #expect(TunnelRefusal(status: status)?.code == code)
    }

    @Test(arguments: [
        (407, 0, "the proxy requires a valid user and password (status 407): check those of the proxy (m)"),
        (
            407, 3,
            "the proxy requires a valid user and password (status 407, and accepts Basic, Digest): check those of the proxy (m)"
        ),
        (403, 1, "the proxy forbids tunnels to a.test, port 443 (status 403): check the rules of the proxy (m)"),
        (
            503, 0,
            "the proxy cannot reach a.test, port 443 (status 503): check that the server runs, then try again (m)"
        ),
        (302, 0, "the proxy refused a tunnel to a.test, port 443 (status 302): check the settings of the proxy (m)"),
    ])
    func detailNamesTheStatus(_ status: Int, _ schemes: Int, _ text: String) throws {
        let refusal = try #require(TunnelRefusal(status: status, curlSchemes: schemes))
        let address = try ServerAddress(try #require(URL(string: "https://a.test/")))
        #expect(refusal.detail(for: address, message: "m") == text)
    }

    // MARK: Proxies

    #if os(Linux)
        static let credentials: [(user: String?, password: String?, isAccepted: Bool)] = [
            (nil, nil, false), ("ada", "wrong-1", false), ("ada", nil, false), ("ada", "secret-1", true),
        ]

        @Test("a proxy checks the user and the password", arguments: Kind.all(but: .proxies), credentials)
        func proxyChecksCredentials(
            _ kind: Kind, _ row: (user: String?, password: String?, isAccepted: Bool)
        ) async throws {
            let proxy = try TunnelProxy(requiring: "ada:secret-1")
            let way = Proxy.http(host: "127.0.0.1", port: proxy.port, user: row.user, password: row.password)
            try await kind.run(.init(proxy: way)) { transport, server in
                let url = try #require(URL(string: "https://localhost:\(server.port)/a"))
                let error = try await failure { try await transport.send(HTTPRequest(url: url)) }
                // The server has no TLS, so an open tunnel is seen by the failed handshake.
                #expect(error.code == (row.isAccepted ? .tlsFailed : .proxyAuthenticationRequired), "\(error)")
                #expect(error.phase == .connect)
                #expect(error.response == nil)
                #expect(!error.isRetryable)
                #expect(server.connections.accepted == (row.isAccepted ? 1 : 0))
                if !row.isAccepted { #expect(error.detail.contains("status 407, and accepts Basic"), "\(error)") }
                for text in ["\(error)", error.detail, String(reflecting: error)] {
                    #expect(!text.contains("secret-1") && !text.contains("wrong-1") && !text.contains("ada"), "\(text)")
                }
            }
        }

        @Test("an old refusal does not explain a later failure", arguments: Kind.all(but: .proxies))
        func refusalIsForgotten(_ kind: Kind) async throws {
            let proxy = try TunnelProxy(requiring: "ada:secret")
            try await kind.run(.init(proxy: .http(host: "127.0.0.1", port: proxy.port))) { transport, server in
                let url = try #require(URL(string: "https://localhost:\(server.port)/a"))
                let first = try await failure { try await transport.send(HTTPRequest(url: url)) }
                #expect(first.code == .proxyAuthenticationRequired)
                // Without TLS the request has no tunnel, and the 407 is a response.
                let plain = try #require(URL(string: "http://localhost:\(server.port)/a"))
                let response = try await transport.send(HTTPRequest(url: plain))
                #expect(response.status == 407)
            }
        }

        @Test func refusedPasswordIsNotSentAgain() async throws {
            let proxy = try TunnelProxy(refusing: 407)
            let client = Client {
                $0.transport = CurlTransport(CurlConfiguration(proxy: .http(host: "127.0.0.1", port: proxy.port)))
                $0.retryPolicy = .standard
            }
            let error = try await failure { try await client.get("https://a.test/", as: String.self).value }
            #expect(error.code == .proxyAuthenticationRequired)
            #expect(proxy.accepted == 1)
        }
    #endif
}

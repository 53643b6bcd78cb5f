import Foundation
import LoopbackServer
import TangoURLSession
import Testing

@testable import TangoHTTP
@testable import TangoRequest
@testable import TestSupport

/// Settings of transports. No description, debug description or dump shows a credential.
@Suite(.timeLimit(.minutes(20))) struct TransportSecretsTests {
    typealias Planted = SecretsTests.Planted

    static let secret = SecretsTests.secret
    /// The secret as numbers, as a dump of bytes shows it.
    static let secretBytes = secret.utf8.map { "\($0)" }.joined(separator: " ")

    static let proxies: [Proxy] = [
        .http(host: "proxy.test", port: 3128, user: "ada", password: secret),
        .http(host: "proxy.test", port: 3128, user: secret), .http(host: "proxy.test", port: 3128, password: secret),
        .http(host: "::1", port: 3128, user: "a@b:c", password: secret),
        .socks5(host: "proxy.test", port: 1080, user: "ada", password: secret),
        .socks5(host: "::1", port: 1080, user: secret, password: "b", resolvesNames: false),
        .socks5(host: "proxy.test", port: 1080, password: secret),
        .socks5(host: "proxy.test", port: 1080, user: "ada", password: String(repeating: secret, count: 20)),
        // Hosts that hold credentials by mistake.
        .http(host: "ada:\(secret)@proxy.test", port: 3128),
        .http(host: "http://ada:\(secret)@proxy.test", port: 3128, user: "b"),
        .http(host: "proxy.test/?token=\(secret)", port: 3128),
    ]

    static let trust =
        ServerTrust.clientCertificate(.pem("CERT"), key: .pem(secret), passphrase: secret)
        + .hosts(["a.test": .clientCertificate(pkcs12: .data(Data(secret.utf8)), passphrase: secret)])

    static let planted: [Planted] = {
        var all = proxies.flatMap { proxy -> [Planted] in
            var all = [Planted("\(proxy)", proxy)]
            #if canImport(Darwin) || URLSessionOnLinux
                let session = URLSessionTransport.Configuration(proxy: proxy)
                all += [
                    Planted("session configuration", session),
                    Planted("session transport", URLSessionTransport(session)),
                    Planted("client", Client { $0.transport = URLSessionTransport(session) }),
                ]
            #endif
            #if os(Linux)
                let curl = CurlConfiguration(proxy: proxy)
                all += [
                    Planted("curl configuration", curl), Planted("curl transport", CurlTransport(curl)),
                    Planted("client", Client { $0.transport = CurlTransport(curl) }),
                ]
            #endif
            return all
        }
        all += [
            Planted("optional", Optional(proxies[0])), Planted("array", [proxies[0]]),
            Planted("dictionary", ["a": proxies[0]]), Planted("trust", trust),
            Planted("rules", trust.rules(for: "a.test")), Planted("options", TransportOptions(trust: trust)),
            Planted("source", CertificateSource.pem(secret)),
        ]
        return all
    }()

    private func dumped(_ value: Any) -> String {
        var text = ""
        dump(value, to: &text)
        return text
    }

    @Test(arguments: planted)
    func printedValuesHaveNoSecret(planted: Planted) {
        for text in ["\(planted.value)", String(reflecting: planted.value), dumped(planted.value)] {
            #expect(!text.contains(Self.secret), "\(text)")
            let bytes = text.split(whereSeparator: { !$0.isNumber }).joined(separator: " ")
            #expect(!bytes.contains(Self.secretBytes), "\(text)")
            #expect(!text.isEmpty)
        }
    }

    @Test(arguments: [
        (Proxy.environment, "the proxy of the environment"), (.direct, "no proxy"),
        (.http(host: "proxy.test", port: 3128), "http://proxy.test:3128"),
        (.http(host: "::1", port: 1), "http://[::1]:1"),
        (.http(host: "proxy.test", port: 3128, user: "ada", password: "x"), "http://…@proxy.test:3128"),
        (.http(host: "ada:x@proxy.test", port: 1), "http://…@proxy.test:1"),
        (.socks5(host: "proxy.test", port: 1080), "socks5h://proxy.test:1080"),
        (.socks5(host: "::1", port: 1080, resolvesNames: false), "socks5://[::1]:1080"),
        (.socks5(host: "proxy.test", port: 1, user: "ada", password: "x"), "socks5h://…@proxy.test:1"),
        (.socks5(host: "ada:x@proxy.test", port: 1), "socks5h://…@proxy.test:1"),
    ])
    func proxyPrintsItsAddress(proxy: Proxy, text: String) {
        #expect("\(proxy)" == text)
    }

    @Test(arguments: proxies)
    func errorOfAProxyHasNoSecret(proxy: Proxy) {
        #expect(proxy.problem?.contains(Self.secret) != true)
    }

    #if os(Linux)
        @Test(arguments: proxies.suffix(3))
        func errorOfARequestHasNoSecretOfTheProxy(proxy: Proxy) async throws {
            let client = Client(baseURL: URL(string: "http://127.0.0.1:1")) {
                $0.transport = CurlTransport(CurlConfiguration(proxy: proxy))
            }
            let error = try await failure { try await Fetch<Data>(.get("/a"), of: client).promise.value }
            #expect(error.code == .unsupported)
            for text in ["\(error)", String(reflecting: error), dumped(error), error.detail] {
                #expect(text.contains("proxy") && !text.contains(Self.secret), "\(text)")
            }
        }

        @Test func errorOfAFailedProxyHasNoSecret() async throws {
            let port = try ReservedPort()
            defer { withExtendedLifetime(port) {} }
            for user in ["ada", Self.secret] {
                let proxy = Proxy.http(host: "127.0.0.1", port: port.number, user: user, password: Self.secret)
                let client = Client(baseURL: URL(string: "http://localhost")) {
                    $0.transport = CurlTransport(CurlConfiguration(proxy: proxy))
                }
                let error = try await failure { try await Fetch<Data>(.get("/a"), of: client).promise.value }
                for text in ["\(error)", String(reflecting: error), dumped(error), error.detail] {
                    #expect(!text.contains(Self.secret), "\(text)")
                }
            }
        }
    #endif
}

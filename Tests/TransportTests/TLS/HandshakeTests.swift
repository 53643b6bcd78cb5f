import Foundation
import LoopbackServer
import Testing

@testable import TangoRequest
@testable import TangoTransport
@testable import TestSupport

/// Rules of trust, tested against a real server.
@Suite(.enabled(if: Nginx.isThere, Comment(rawValue: Nginx.comment)), .timeLimit(.minutes(20)))
struct HandshakeTests {
    typealias Site = NginxServer.Site

    private func get(
        _ site: Site, _ rule: Rule, host: String = "right.test", by transport: CurlTransport = transport()
    ) async throws -> HTTPResponse {
        let server = try await Nginx.server
        return try await transport.send(
            HTTPRequest(url: server.url(site, host: host)),
            options: TransportOptions(trust: try rule.make(server.certificates)))
    }

    // MARK: Trusted servers

    static let passing: [(Site, Rule)] = [
        (.right, .authority), (.http2, .authority), (.tls1_2, .authority), (.right, .development),
        (.expired, .development), (.wrongHost, .development), (.selfSigned, .development), (.early, .development),
        (.right, Rule("authority as DER in memory") { .authorities([.data(try $0.data("authority.der"))]) }),
        (
            .right,
            Rule("authority as PEM in memory") {
                .authorities([.pem(String(decoding: try $0.data("authority.pem"), as: UTF8.self))])
            }
        ),
        (.right, Rule("besides the system") { .authorities([$0.source("authority.pem")], besidesSystem: true) }),
        (
            .otherAuthority,
            Rule("one of two") { .authorities([$0.source("authority.pem"), $0.source("other-authority.pem")]) }
        ),
        (.selfSigned, Rule("its own authority") { .authorities([$0.source("self-signed.pem")]) }),
        (.right, Rule("pin") { .authorities([$0.source("authority.pem")]) + .pins([try $0.pin("right")]) }),
        (
            .right,
            Rule("backup") {
                .authorities([$0.source("authority.pem")])
                    + .pins([try $0.pin("other")], backups: ["sha256/\(try $0.pin("right"))"])
            }
        ),
        (
            .wrongHost,
            Rule("certificate name") { .authorities([$0.source("authority.pem")]) + .certificateName("elsewhere.test") }
        ),
        (.right, Rule("TLS 1.3") { .authorities([$0.source("authority.pem")]) + .minimumTLS(.v1_3) }),
        (
            .selfSigned,
            Rule("development and pin") { .developmentHost("right.test") + .pins([try $0.pin("self-signed")]) }
        ),
        (
            .right,
            Rule("table") {
                .hosts(
                    [
                        "*.test": .authorities([$0.source("other-authority.pem")]),
                        "right.test": .authorities([$0.source("authority.pem")]),
                    ])
            }
        ),
    ]

    @Test(arguments: passing, Route.allCases)
    func matchingRulesTrustTheServer(_ row: (site: Site, rule: Rule), _ route: Route) async throws {
        let port = try await Nginx.server.port(row.site)
        try await route.run { transport, proxy in
            let response = try await get(row.site, row.rule, by: transport)
            #expect(response.status == 200)
            #expect(response.version == (row.site == .http2 ? .http2 : .http1_1))
            #expect(try #require(response.metrics.secured) >= #require(response.metrics.connected))
            #expect(proxy.targets == (route == .direct ? [] : ["right.test:\(port)"]))
            await transport.shutdown()
        }
    }

    // MARK: Refused servers

    static let failing: [(Site, Rule, TrustFailure)] = [
        (.right, .system, .unknownAuthority), (.expired, .authority, .expired), (.early, .authority, .notYetValid),
        (.wrongHost, .authority, .wrongHost), (.selfSigned, .authority, .selfSigned),
        (.otherAuthority, .authority, .unknownAuthority), (.wrongPurpose, .authority, .badCertificate),
        (.right, Rule("other authority") { .authorities([$0.source("other-authority.pem")]) }, .unknownAuthority),
        (
            .right, Rule("other pin") { .authorities([$0.source("authority.pem")]) + .pins([try $0.pin("other")]) },
            .wrongPin
        ),
        (.right, Rule("pin, and no authority") { .pins([try $0.pin("right")]) }, .unknownAuthority),
        (
            .selfSigned,
            Rule("development and other pin") { .developmentHost("right.test") + .pins([try $0.pin("right")]) },
            .wrongPin
        ),
        (.selfSigned, Rule("development of another host") { _ in .developmentHost("localhost") }, .selfSigned),
        (.tls1_2, Rule("TLS 1.3") { .authorities([$0.source("authority.pem")]) + .minimumTLS(.v1_3) }, .tlsVersion),
        (
            .right,
            Rule("certificate name") {
                .authorities([$0.source("authority.pem")]) + .certificateName("elsewhere.test")
            },
            .wrongHost
        ),
        (.clear, Rule("no TLS at all") { _ in .system }, .notTLS),
    ]

    @Test(arguments: failing, Route.allCases)
    func brokenRulesFail(_ row: (site: Site, rule: Rule, expected: TrustFailure), _ route: Route) async throws {
        let (site, rule, expected) = row
        let server = try await Nginx.server
        var url = server.url(site)
        if site == .clear {
            url = try #require(URL(string: url.absoluteString.replacingOccurrences(of: "http:", with: "https:")))
        }
        let request = HTTPRequest(method: .post, url: url, body: .string("secret"))
        let trust = try rule.make(server.certificates)
        try await route.run { transport, _ in
            let error = try await failure {
                try await transport.send(request, options: TransportOptions(trust: trust))
            }
            #expect(error.trustFailure == expected, "\(error)")
            #expect(error.code == expected.code)
            #expect(error.phase == .connect)
            #expect(error.request?.url == url)
            let rules = trust.rules(for: "right.test")
            // The pin of the server differs in each run.
            let sentence =
                expected == .wrongPin
                ? "the key of right.test is sha256/" : expected.sentence(host: "right.test", rules: rules)
            #expect(error.detail.hasPrefix(sentence), "\(error)")
            #expect(!error.isRetryable)
            await transport.shutdown()
        }
    }

    // MARK: Certificates of the client

    static let clients: [Rule] = [
        pair,
        Rule("in memory") {
            .authorities([$0.source("authority.pem")])
                + .clientCertificate(.data(try $0.data("client.pem")), key: .data(try $0.data("client.key")))
        },
        Rule("DER") {
            .authorities([$0.source("authority.pem")])
                + .clientCertificate($0.source("client.der"), key: $0.source("client-key.der"))
        },
        Rule("locked") {
            .authorities([$0.source("authority.pem")])
                + .clientCertificate($0.source("client.pem"), key: $0.source("client-locked.key"), passphrase: "secret")
        },
        Rule("locked, the old way") {
            .authorities([$0.source("authority.pem")])
                + .clientCertificate(
                    $0.source("client.pem"), key: $0.source("client-traditional.key"), passphrase: "secret")
        },
        Rule("PKCS #12") {
            .authorities([$0.source("authority.pem")])
                + .clientCertificate(pkcs12: $0.source("client.p12"), passphrase: "secret")
        },
    ]

    @Test(arguments: clients, Route.allCases)
    func clientCertificateIsAccepted(_ rule: Rule, _ route: Route) async throws {
        try await route.run { transport, _ in
            let response = try await get(.clientWanted, rule, by: transport)
            #expect(response.status == 200)
            #expect(String(decoding: response.body, as: UTF8.self).contains(" SUCCESS "))
            await transport.shutdown()
        }
    }

    @Test("a server refuses a client without the certificate that it requires", arguments: [Rule.authority, stranger])
    func missingClientCertificateIsRefused(_ rule: Rule) async throws {
        // nginx refuses the client with an HTTP status.
        #expect(try await get(.clientWanted, rule).status == 400)
    }

    static let broken: [(Rule, String)] = [
        (
            Rule("wrong passphrase") {
                .clientCertificate($0.source("client.pem"), key: $0.source("client-locked.key"), passphrase: "guess")
            }, "check its passphrase"
        ),
        (
            Rule("wrong passphrase of PKCS #12") {
                .clientCertificate(pkcs12: $0.source("client.p12"), passphrase: "guess")
            }, "check its passphrase"
        ),
        (
            Rule("key of another certificate") {
                .clientCertificate($0.source("client.pem"), key: $0.source("other-client.key"))
            }, "its private key"
        ),
        (
            Rule("no passphrase") { .clientCertificate($0.source("client.pem"), key: $0.source("client-locked.key")) },
            "give its passphrase"
        ),
        (
            Rule("no file") { .clientCertificate($0.source("client.pem"), key: .file("/nowhere/client.key")) },
            "there is no file /nowhere/client.key"
        ),
        (
            Rule("no authority file") { _ in .authorities([.file("/nowhere/ca.pem")]) },
            "there is no file /nowhere/ca.pem"
        ),
        (Rule("key for an authority") { .authorities([$0.source("client.key")]) }, "no certificate in"),
        (Rule("bad pin") { _ in .pins(["sha256/abc"]) }, "44 characters"),
        (Rule("a pin of another host") { _ in .hosts(["other.test": .pins(["abc"])]) }, "44 characters"),
    ]

    @Test(arguments: broken)
    func unusableRulesAreReported(_ rule: Rule, _ text: String) async throws {
        let error = try await failure { try await get(.clientWanted, rule) }
        #expect(error.code == .badTrust, "\(error)")
        #expect(error.detail.contains(text), "\(error)")
        #expect(!error.detail.contains("guess") && !error.detail.contains("secret"))
        #expect(error.request != nil)
    }

    // MARK: Connections

    /// Each rule uses connections of its own, with all rules on one transport. There are fewer rules than idle connections
    /// that the transport keeps open.
    @Test(arguments: Route.allCases)
    func rulesShareNoConnections(_ route: Route) async throws {
        let pins = "pin"
        let rules: [Rule] = [
            .authority, .development, Self.pair, Self.stranger,
            Rule(pins) { .authorities([$0.source("authority.pem")]) + .pins([try $0.pin("right")]) },
            Rule("TLS 1.3") { .authorities([$0.source("authority.pem")]) + .minimumTLS(.v1_3) },
            Rule("two authorities") {
                .authorities([$0.source("authority.pem"), $0.source("other-authority.pem")])
            },
            Rule("besides the system") { .authorities([$0.source("authority.pem")], besidesSystem: true) },
            Rule("certificate name") { .authorities([$0.source("authority.pem")]) + .certificateName("localhost") },
        ]
        for site in [Site.right, .http2] {
            try await route.run { transport, _ in
                var connections: [String] = []
                for round in 0..<2 {
                    for (number, rule) in rules.enumerated() {
                        let response = try await get(site, rule, by: transport)
                        let connection = String(decoding: response.body, as: UTF8.self).split(separator: " ")[1]
                        #expect(response.metrics.reusedConnection == (round == 1), "\(rule.testDescription)")
                        #expect(response.headers["X-Reused"] == ".", "\(rule.testDescription): a foreign session")
                        if round == 0 { connections.append(String(connection)) }
                        #expect(connections[number] == connection, "\(rule.testDescription)")
                    }
                    // Rules that fail must not use a connection of these rules.
                    for (rule, expected) in [
                        (Rule.system, TrustFailure.unknownAuthority),
                        (
                            Rule("wrong pin") {
                                .authorities([$0.source("authority.pem")]) + .pins([try $0.pin("other")])
                            },
                            .wrongPin
                        ),
                        (
                            Rule("other authority") { .authorities([$0.source("other-authority.pem")]) },
                            .unknownAuthority
                        ),
                        (
                            Rule("wrong pin, development") {
                                .developmentHost("right.test") + .pins([try $0.pin("other")])
                            }, .wrongPin
                        ),
                    ] {
                        let error = try await failure { try await get(site, rule, by: transport) }
                        #expect(error.trustFailure == expected, "\(rule.testDescription): \(error)")
                    }
                }
                #expect(Set(connections).count == rules.count)
                await transport.shutdown()
            }
        }
    }

    @Test("a development host does not trust the same server under another name")
    func developmentHostIsOneHost() async throws {
        let transport = Self.transport()
        #expect(try await get(.right, .development, by: transport).status == 200)
        let error = try await failure { try await get(.right, .development, host: "other.test", by: transport) }
        #expect(error.trustFailure == .unknownAuthority)
    }

    @Test(
        "a new connection resumes the previous TLS session", arguments: [Site.tls1_2, .right], Route.allCases)
    func resumesSessions(_ site: Site, _ route: Route) async throws {
        try await route.run(CurlConfiguration(idleConnections: 1)) { transport, _ in
            #expect(try await get(site, .authority, by: transport).headers["X-Reused"] == ".")
            // Other rules have connections of their own, and leave this one open.
            #expect(try await get(.expired, .development, by: transport).status == 200)
            let server = try await Nginx.server
            let request = HTTPRequest(url: server.url(site), headers: ["Connection": "close"])
            let options = TransportOptions(trust: server.trust)
            _ = try await transport.send(request, options: options)
            let next = try await transport.send(request, options: options)
            #expect(next.metrics.reusedConnection == false)
            #expect(next.headers["X-Reused"] == "r")
            await transport.shutdown()
        }
    }

    @Test("a man in the middle with another certificate is refused", arguments: [Site.right, .http2])
    func manInTheMiddleIsRefused(_ site: Site) async throws {
        let server = try await Nginx.server
        let proxy = try TunnelProxy(leading: [server.port(site): server.port(.otherAuthority)])
        let rules: [(Rule, TrustFailure)] = [
            (.authority, .unknownAuthority),
            // The attacker may have a certificate of a trusted authority.
            (
                Rule("pin") {
                    .authorities([$0.source("authority.pem"), $0.source("other-authority.pem")])
                        + .pins([try $0.pin("right")])
                }, .wrongPin
            ),
            (Rule("development and pin") { .developmentHost("right.test") + .pins([try $0.pin("right")]) }, .wrongPin),
        ]
        for (rule, expected) in rules {
            let transport = Self.transport(CurlConfiguration(proxy: .http(host: "127.0.0.1", port: proxy.port)))
            let error = try await failure { try await get(site, rule, by: transport) }
            #expect(error.trustFailure == expected, "\(error)")
            #expect(error.phase == .connect)
            await transport.shutdown()
        }
        #expect(proxy.targets == Array(repeating: "right.test:\(server.port(site))", count: rules.count))
    }

    @Test("a request to a host with rules is not sent to a proxy in clear")
    func clearThroughAProxy() async throws {
        let certificates = try await Nginx.server.certificates
        let proxy = try TunnelProxy()
        let transport = Self.transport(CurlConfiguration(proxy: .http(host: "127.0.0.1", port: proxy.port)))
        let url = try #require(URL(string: "http://right.test/"))
        for rule in [
            Rule("pin") { .hosts(["right.test": .pins([try $0.pin("right")])]) },
            Rule("client") { .clientCertificate($0.source("client.pem"), key: $0.source("client.key")) },
        ] {
            let trust = try rule.make(certificates)
            let error = try await failure {
                try await transport.send(HTTPRequest(url: url), options: TransportOptions(trust: trust))
            }
            #expect(error.code == .badTrust, "\(rule.testDescription): \(error)")
            #expect(error.phase == .prepare)
        }
        #expect(proxy.accepted == 0)
        await transport.shutdown()
    }

    @Test("a changed file applies to the next connection")
    func changedFilesApply() async throws {
        let certificates = try await Nginx.server.certificates
        let files = ScratchFiles()
        let file = try files.file("authority.pem", try certificates.data("other-authority.pem"))
        let rule = Rule("file") { _ in .authorities([.file(file)]) }
        let transport = Self.transport()
        #expect(try await failure { try await get(.right, rule, by: transport) }.trustFailure == .unknownAuthority)
        try certificates.data("authority.pem").write(to: file)
        #expect(try await get(.right, rule, by: transport).status == 200)
        try certificates.data("other-authority.pem").write(to: file)
        #expect(try await failure { try await get(.right, rule, by: transport) }.trustFailure == .unknownAuthority)
    }

    @Test("the trust of a client applies to an `HTTPRequest` too")
    func clientTrustAppliesToHTTPRequests() async throws {
        let server = try await Nginx.server
        let url = server.url(.right)
        let client = Client {
            $0.transport = Self.transport()
            $0.trust = server.trust
        }
        #expect(try await client.send(HTTPRequest(url: url)).status == 200)
        let strict = try Client {
            $0.transport = Self.transport()
            $0.trust = server.trust + .pins([try server.certificates.pin("other")])
        }
        let error = try await failure { try await strict.send(HTTPRequest(url: url)) }
        #expect(error.trustFailure == .wrongPin)
    }

    @Test("the certificate name sets the server name, the URL sets the Host header")
    func certificateNames() async throws {
        let rule = Rule("name") { .authorities([$0.source("authority.pem")]) + .certificateName("elsewhere.test") }
        for _ in 0..<2 {
            let response = try await get(.wrongHost, rule)
            let server = try await Nginx.server
            let words = String(decoding: response.body, as: UTF8.self).split(separator: " ")
            #expect(words[3] == "elsewhere.test")
            #expect(words[4] == "right.test:\(server.port(.wrongHost))")
        }
    }

    @Test func pinsMatchThoseOfOpenSSL() async throws {
        let certificates = try await Nginx.server.certificates
        for name in ["right", "other", "self-signed", "rsa"] {
            let pin = try #require(PublicKeyPin(certificate: certificates.data("\(name).pem")))
            #expect(pin.description == "sha256/\(try certificates.pin(name))")
            #expect(PublicKeyPin(try certificates.pin(name)) == pin)
        }
    }
}

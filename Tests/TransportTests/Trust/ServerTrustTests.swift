import Foundation
import Testing

@testable import TangoRequest
@testable import TangoTransport
@testable import TestSupport

/// Rules of trust, as values.
@Suite struct ServerTrustTests {
    private static let pin = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
    private static let other = "n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg="

    @Test(
        "hosts are normalized",
        arguments: [
            ("Example.COM", "example.com"), ("example.com.", "example.com"), ("[::1]", "::1"), ("::0001", "::1"),
            ("127.1", "127.0.0.1"), ("0x7f.1", "127.0.0.1"), ("1.2.3.4.example.com", "1.2.3.4.example.com"), ("", ""),
        ])
    func names(_ text: String, _ expected: String) {
        #expect(HostName(text).text == expected)
    }

    @Test(
        "a pattern matches hosts",
        arguments: [
            ("example.com", "example.com", true), ("example.com", "EXAMPLE.com.", true),
            ("example.com", "a.example.com", false),
            ("*.example.com", "a.example.com", true), ("*.example.com", "a.b.example.com", true),
            ("*.example.com", "example.com", false), ("*.example.com", "badexample.com", false),
            ("*.example.com", ".example.com", false), ("127.0.0.1", "127.1", true), ("::1", "[::1]", true),
            ("*.example.com", "a.example.com.evil.test", false), ("localhost", "localhost.", true),
        ])
    func matching(_ pattern: String, _ host: String, _ expected: Bool) throws {
        #expect(try HostPattern.parse(pattern).get().matches(HostName(host)) == expected)
    }

    @Test(
        "invalid patterns are refused",
        arguments: [
            "", "*", "*.", "https://example.com", "example.com/path", "example.com:8443", "a*.example.com",
            "*.127.0.0.1",
            "exa mple.com", "münchen.de", "a..b", "*.*.example.com",
        ])
    func badPatterns(_ text: String) {
        #expect(throws: HostPattern.Bad.self) { try HostPattern.parse(text).get() }
        for trust in [
            ServerTrust.hosts([text: .system]), .developmentHost(text), .certificateName(text),
            .system + .hosts(["a": .developmentHost(text)]),
        ] {
            #expect(trust.problem?.isEmpty == false)
        }
    }

    @Test func mostSpecificRuleApplies() {
        let trust = ServerTrust.hosts(
            [
                "*.example.com": .minimumTLS(.v1_3), "*.b.example.com": .pins([Self.pin]),
                "x.b.example.com": .system,
            ], else: .certificateName("other.test"))
        #expect(trust.problem == nil)
        #expect(trust.rules(for: "a.example.com") == ServerTrust.Rules(minimumTLS: .v1_3))
        #expect(trust.rules(for: "a.b.example.com").pins.count == 1)
        #expect(trust.rules(for: "a.b.example.com").minimumTLS == .v1_2)
        #expect(trust.rules(for: "x.b.example.com") == .system)
        #expect(trust.rules(for: "example.com").certificateName == "other.test")
    }

    @Test func joinedRulesApplyTogether() {
        let first = ServerTrust.pins([Self.pin]) + .authorities([.file("a")]) + .minimumTLS(.v1_3)
        let second =
            ServerTrust.pins([Self.other]) + .authorities([.file("b")], besidesSystem: true) + .minimumTLS(.v1_2)
        let rules = (first + second + .developmentHost("localhost")).rules(for: "x")
        #expect(rules.pins.count == 2)
        #expect(rules.authorities == [.file("a"), .file("b")])
        // The authorities of the system count only if all joined rules with authorities include them.
        #expect(!rules.trustsSystem)
        #expect((second + second).rules(for: "x").trustsSystem)
        #expect((.pins([Self.pin]) + second).rules(for: "x").trustsSystem)
        #expect(rules.minimumTLS == .v1_3)
        #expect(!rules.isDevelopment)
        #expect(rules.needs == [.pins, .authorities, .minimumTLS])
        let local = (first + .developmentHost("localhost")).rules(for: "localhost")
        #expect(local.isDevelopment && local.pins.count == 1)
        #expect((ServerTrust.system + first) == first)
    }

    @Test("a pin may begin with a slash", arguments: ["", "sha256/", "sha256//"])
    func slashes(_ prefix: String) throws {
        let text = "/XNNjQhP9X3PkEwxiHyRq6+0GNEt9sLnNsezQbgfbis="
        #expect(try #require(PublicKeyPin(prefix + text)).description == "sha256/\(text)")
    }

    @Test(
        "invalid pins are refused",
        arguments: [
            "", "abc", "sha256/", "sha1/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
            "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuF=", "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU=",
            " 47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
        ])
    func badPins(_ text: String) {
        #expect(PublicKeyPin(text) == nil)
        #expect(ServerTrust.pins([Self.pin], backups: [text]).problem != nil)
        #expect(ServerTrust.hosts(["a.test": .pins([text])]).problem != nil)
    }

    @Test func emptyListsAreRefused() {
        #expect(ServerTrust.pins([]).problem != nil)
        #expect(ServerTrust.authorities([]).problem != nil)
        #expect(ServerTrust.hosts(["a.test": .system, "A.test.": .system]).problem?.contains("two rules") == true)
    }

    @Test func invalidOrUnsupportedRulesAreRefused() throws {
        let request = HTTPRequest(url: try #require(URL(string: "https://example.com/")))
        func refusal(_ trust: ServerTrust, _ capabilities: TransportCapabilities) -> RequestError? {
            capabilities.refusal(of: request, options: TransportOptions(trust: trust))
        }
        #expect(refusal(.pins(["x"]), [.tls, .customTrust])?.code == .badTrust)
        #expect(refusal(.pins([Self.pin]), [.tls])?.code == .unsupported)
        #expect(refusal(.pins([Self.pin]), [.tls])?.detail.contains("pins") == true)
        #expect(refusal(.pins([Self.pin]), [.tls, .pins]) == nil)
        #expect(refusal(.hosts(["other.test": .pins([Self.pin])]), [.tls]) == nil)
        #expect(refusal(.developmentHost("example.com"), [.tls, .pins])?.code == .unsupported)
    }

    static let needs: [(ServerTrust, TransportCapabilities, String)] = [
        (.pins([pin]), .pins, "pins"), (.authorities([.file("a")]), .authorities, "authorities"),
        (.clientCertificate(.pem(""), key: .pem("")), .clientCertificates, "clientCertificate"),
        (.clientCertificate(pkcs12: .file("a"), passphrase: "b"), .clientCertificates, "clientCertificate"),
        (.minimumTLS(.v1_3), .minimumTLS, "minimumTLS"),
        (.certificateName("a.test"), .certificateNames, "certificateName"),
        (.developmentHost("example.com"), .developmentHosts, "developmentHost"),
    ]

    @Test("a transport names only the rule that it does not support", arguments: needs)
    func refusalsNameTheRule(_ trust: ServerTrust, _ need: TransportCapabilities, _ name: String) throws {
        let request = HTTPRequest(url: try #require(URL(string: "https://example.com/")))
        let options = TransportOptions(trust: trust)
        let others = TransportCapabilities([.tls, .customTrust]).subtracting(need)
        let refusal = others.refusal(of: request, options: options)
        #expect(refusal?.code == .unsupported)
        #expect(refusal?.phase == .prepare)
        #expect(
            refusal?.detail == "this transport does not support the rule \(name): remove it, or use another transport")
        #expect(TransportCapabilities([.tls, need]).refusal(of: request, options: options) == nil)
    }

    @Test("each failure has its own description with the host")
    func sentences() {
        let failures: [TrustFailure] = [
            .expired, .notYetValid, .selfSigned, .unknownAuthority, .wrongHost, .wrongPin, .revoked, .badCertificate,
            .clientCertificateWanted, .clientCertificateRefused, .tlsVersion, .notTLS, .handshake,
        ]
        let sentences = failures.map { $0.sentence(host: "a.test", rules: .system) }
        #expect(Set(sentences).count == failures.count)
        for (failure, sentence) in zip(failures, sentences) {
            #expect(sentence.contains("a.test") && !sentence.contains("has broken the rule"), "\(failure)")
            let error = RequestError(failure, host: "a.test", rules: .system, saying: "what the library says")
            #expect(error.trustFailure == failure)
            #expect(error.detail == "\(sentence) (what the library says)")
        }
        let own = TrustFailure(rawValue: "tooYoung").sentence(host: "a.test", rules: .system)
        #expect(own == "a.test has broken the rule tooYoung: check the server")
    }

    /// Rules, and the error of a request in clear under each.
    static let inClear: [(ServerTrust, RequestError.Code?, String)] = [
        (.pins([pin]), .badTrust, "pins"),
        (.clientCertificate(.pem(""), key: .pem("")), .badTrust, "clientCertificate"),
        (.hosts(["example.com": .pins([pin])]) + .minimumTLS(.v1_3), .badTrust, "pins"),
        (.hosts(["other.test": .pins([pin])]), nil, ""),
        (.authorities([.file("a")]) + .minimumTLS(.v1_3) + .certificateName("a.test"), nil, ""),
        (.developmentHost("example.com"), nil, ""), (.system, nil, ""),
        // Invalid rules are refused for every URL and host.
        (.pins(["x"]), .badTrust, "44 characters"), (.hosts(["other.test": .pins([])]), .badTrust, "no pin"),
    ]

    @Test("rules for one server refuse a request in clear", arguments: inClear)
    func clearText(_ trust: ServerTrust, _ code: RequestError.Code?, _ text: String) throws {
        for scheme in ["http", "HTTP"] {
            let request = HTTPRequest(url: try #require(URL(string: "\(scheme)://example.com/")))
            for capabilities: TransportCapabilities in [[], [.tls, .customTrust]] {
                let refusal = capabilities.refusal(of: request, options: TransportOptions(trust: trust))
                #expect(refusal?.code == code)
                #expect(refusal?.detail.contains(text) ?? text.isEmpty)
            }
        }
    }

    @Test func descriptionsContainNoSecrets() {
        let trust = ServerTrust.clientCertificate(.pem("CERT"), key: .pem("KEY"), passphrase: "hunter2")
        for text in ["\(trust)", String(reflecting: trust), "\(trust.rules(for: "x"))"] {
            #expect(!text.contains("hunter2") && !text.contains("KEY"))
        }
    }

    // MARK: Certificates and PEM

    @Test(
        "invalid certificates are refused",
        arguments: [
            [], [0x30], [0x30, 0x80], [0x30, 0x84, 0xff, 0xff, 0xff, 0xff], [0x30, 0x03, 0x30, 0x01], [0x30, 0x00],
            [0x30, 0x06, 0x30, 0x00, 0x30, 0x00, 0x03, 0x00], [0x1f, 0x01], [0x30, 0x02, 0x30, 0x7f],
        ] as [[UInt8]])
    func noCertificates(_ bytes: [UInt8]) {
        #expect(DER.publicKey(ofCertificate: bytes) == nil)
        #expect(throws: BadTrust.self) { try CertificateSource.data(Data(bytes)).certificates() }
    }

    @Test(
        "invalid PEM is refused",
        arguments: [
            "-----BEGIN CERTIFICATE-----\nAAAA", "-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----",
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END OTHER-----", "-----BEGIN A-----\n-----BEGIN B-----\n",
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----",
            "-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----",
        ])
    func noPEM(_ text: String) {
        #expect(throws: BadTrust.self) { try CertificateSource.pem(text).certificates() }
    }

    @Test("the trust failure follows from the rules, the chain and the result of the system")
    func verdicts() throws {
        // Minimal certificates with these fields: serial number, algorithm, issuer, validity, subject, key.
        func certificate(_ key: UInt8) -> Data {
            let fields: [UInt8] = [0x02, 0x01, 1, 0x30, 0, 0x30, 0, 0x30, 0, 0x30, 0, 0x30, 0x01, key]
            let inner = [0x30, UInt8(fields.count)] + fields + [0x30, 0, 0x03, 0]
            return Data([0x30, UInt8(inner.count)] + inner)
        }
        let (own, next) = (certificate(1), certificate(2))
        let pin = try #require(PublicKeyPin(certificate: own)).description
        let pinned = ServerTrust.pins([pin]).rules(for: "a.test")
        let lax = ServerTrust.developmentHost("a.test").rules(for: "a.test")
        let both = (ServerTrust.developmentHost("a.test") + .pins([pin])).rules(for: "a.test")
        let table: [(ServerTrust.Rules, [Data], TrustFailure?, TrustFailure?)] = [
            (.system, [own], nil, nil), (.system, [own], .expired, .expired), (.system, [], nil, nil),
            (pinned, [own, next], nil, nil), (pinned, [next, own], nil, .wrongPin), (pinned, [own], .expired, .expired),
            (pinned, [], nil, .badCertificate), (pinned, [Data([1])], nil, .badCertificate),
            (lax, [own], .selfSigned, nil), (lax, [], .wrongHost, nil), (both, [own], .selfSigned, nil),
            (both, [next], .selfSigned, .wrongPin),
        ]
        for (rules, chain, system, expected) in table {
            #expect(rules.failure(of: chain, system: system) == expected)
        }
    }
}

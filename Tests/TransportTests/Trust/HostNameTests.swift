import Foundation
import Testing

@testable import TangoRequest
@testable import TangoTransport
@testable import TestSupport

/// Validation of hosts, and the server that a URL names.
@Suite struct HostNameTests {
    static let allowed = [
        "example.com", "EXAMPLE.com", "a_b.example", "localhost", "a", "-", "example.com.", "xn--bcher-kva.example",
        "123.example", "1a", "0xg", "x0", "1.2.3.4a", "127.0.0.1", "0.0.0.0", "255.255.255.255", "[::1]", "[0:0::1]",
        "[::FFFF:127.0.0.1]", "[fe80::1%25eth0]", "[fe80::1%25a.b_c~d-1]",
    ]

    @Test(arguments: allowed)
    func hostsThatAllLibrariesReadAlikeAreAllowed(_ host: String) {
        #expect(HostName.problem(inHost: host[...]) == nil)
    }

    static let refused: [(String, String)] = [
        // Encoded names, and names that some libraries map to others.
        ("%6cocalhost", "xn--"), ("b%C3%BCcher.example", "xn--"), ("%EF%BD%8Cocalhost", "xn--"), ("a%0d%0ab", "xn--"),
        ("%", "xn--"), ("bücher.example", "xn--"), ("ｌocalhost", "xn--"), ("local\u{AD}host", "xn--"),
        ("example。com", "xn--"), ("\u{212A}.example", "xn--"), ("①27.0.0.1", "xn--"), ("localhost\u{301}", "xn--"),
        // Invalid characters.
        ("a b", "letters"), ("a\nb", "letters"), ("a\r\nb", "letters"), ("a\u{0}", "letters"), ("a,b", "letters"),
        ("a*b", "letters"), ("a@b", "letters"), ("a\\b", "letters"), ("a;b", "letters"), ("a]", "letters"),
        ("a..b", "dots"), (".a", "dots"), (".", "dots"), ("a..", "dots"),
        // Other forms of addresses, and names that look like addresses.
        ("127.1", "127.0.0.1"), ("0x7f.1", "127.0.0.1"), ("0X7F.1", "127.0.0.1"), ("2130706433", "127.0.0.1"),
        ("0177.0.0.1", "127.0.0.1"), ("017700000001", "127.0.0.1"), ("127.0.0.1.", "127.0.0.1"),
        ("127.1.", "127.0.0.1"),
        ("127.0.0.01", "127.0.0.1"), ("0", "0.0.0.0"), ("0x", "number"), ("1.2.3.256", "number"),
        ("256", "0.0.1.0"), ("1.2.3.4.5", "number"), ("example.123", "number"), ("example.0xf", "number"),
        ("example.123.", "number"), ("99999999999", "number"),
        // Invalid hosts in brackets.
        ("[v1.x]", "IPv6"), ("[127.0.0.1]", "IPv6"), ("[]", "IPv6"), ("[::1", "IPv6"), ("[::1]x", "IPv6"),
        ("[:::1]", "IPv6"), ("[::1%eth0]", "zone"), ("[::1%25]", "zone"), ("[::1%25a%0d]", "zone"),
        ("[::1%25a b]", "zone"), ("[1.2.3.4:5]", "IPv6"),
    ]

    @Test(arguments: refused)
    func hostsThatALibraryMayReadDifferentlyAreRefused(_ host: String, _ reason: String) throws {
        let problem = try #require(HostName.problem(inHost: host[...]))
        #expect(problem.contains(reason))
    }

    private static func isUsual(_ host: String) -> Bool {
        var host = host
        return host.withUTF8 { ServerAddress.isUsual($0) }
    }

    private static func random(_ letters: String, upTo count: UInt64, _ random: inout SeededNumbers) -> String {
        String((0..<random.next() % count).map { _ in letters.randomElement(using: &random) ?? "a" })
    }

    @Test func usualHostsAreAllowed() {
        let usual = ["example.com", "EXAMPLE.com", "a_b.example", "x0", "127.0.0.1", "255.255.255.255"]
        #expect(usual.allSatisfy(Self.isUsual))
        #expect(!Self.refused.contains { Self.isUsual($0.0) })
        var random = SeededNumbers(seed: 1)
        var count = 0
        for _ in 0..<100_000 {
            let host = Self.random("aaF0127.....-_x:%[]*", upTo: 9, &random)
            guard Self.isUsual(host) else { continue }
            count += 1
            #expect(HostName.problem(inHost: host[...]) == nil, "\(host)")
        }
        #expect(count > 1000)
    }

    @Test func serverOfAURLIsThatOfItsParts() {
        var random = SeededNumbers(seed: 2)
        var count = 0
        for _ in 0..<100_000 {
            let text = "http:" + Self.random("//////aB1:@[]?#", upTo: 12, &random)
            guard let address = try? ServerAddress(text) else { continue }
            count += 1
            let parts = URLParts(text[...]).authority
            #expect(address.bracketed == parts?.host.lowercased(), "\(text)")
            #expect(address.port == parts?.port.flatMap { Int($0) } ?? 80, "\(text)")
        }
        #expect(count > 1000)
    }

    @Test(
        arguments: [
            ("Example.COM", "example.com"), ("example.com.", "example.com"), ("[::1]", "::1"), ("::0001", "::1"),
            ("FE80::1%eth0", "fe80::1"), ("[fe80::1%25eth0]", "fe80::1"), ("::ffff:127.0.0.1", "127.0.0.1"),
            ("::ffff:7f00:1", "127.0.0.1"), ("::ffff", "::ffff"), ("::ffff:0:0:1", "::ffff:0:0:1"),
            ("127.1", "127.0.0.1"), ("a%41", "a%41"), ("\u{212A}", "\u{212A}"), (".", "."), ("", ""),
        ])
    func hostNamesAreNormalized(_ text: String, _ expected: String) {
        #expect(Array(HostName(text).text.utf8) == Array(expected.utf8))
    }

    @Test func rulesOfAnAddressApplyToAllItsForms() {
        let pin = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
        let trust = ServerTrust.hosts(["127.0.0.1": .pins([pin]), "fe80::1": .pins([pin]), "a.test": .pins([pin])])
        for host in ["127.0.0.1", "::ffff:127.0.0.1", "[::FFFF:7F00:1]", "fe80::1%eth0", "A.TEST", "a.test."] {
            #expect(!trust.rules(for: host).pins.isEmpty, "\(host)")
        }
    }

    @Test(
        arguments: [
            ("https://Example.com", "https:example.com:443", nil), ("http://h/", "http:h:80", nil),
            ("HTTPS://h:8443/x?y#z", "https:h:8443", nil), ("http://h:/x", "http:h:80", nil),
            ("http://user:p%40ss@h:1/@b", "http:h:1", nil), ("http://[::1]:8080/", "http:::1:8080", nil),
            ("http://[FE80::1%25eth0]/", "http:fe80::1:80", "eth0"), ("http://h?a@b", "http:h:80", nil),
            ("http://h#a@b", "http:h:80", nil), ("http://h:0/", "http:h:0", nil),
            ("http://h:65535", "http:h:65535", nil),
        ] as [(String, String, String?)])
    func theServerIsReadFromTheTextThatIsSent(_ text: String, _ origin: String, _ zone: String?) throws {
        let address = try ServerAddress(text)
        #expect(address.origin == origin)
        #expect(address.zone == zone)
    }

    @Test(
        arguments: [
            ("ftp://h/", "ftp"), ("/relative", "no scheme"), ("http:/x", "no host"), ("http:///x", "no host"),
            ("http://:80/", "no host"), ("http://user@/", "no host"), ("http://a@b@c/", "user"),
            ("https://good.test\\@evil.test/", "user"), ("https://good.test\\.evil.test/", "letters"),
            ("http://h:99999/", "port"), ("http://h:-1/", "port"), ("http://h:8o/", "port"), ("http://h:1:2/", "port"),
            ("http://a%0d%0aX:1@h/", nil), ("http://\u{e9}@h/", "user"), ("ＨＴＴＰ://h/", "no scheme"),
        ] as [(String, String?)])
    func otherURLsAreRefused(_ text: String, _ reason: String?) {
        do throws(ServerAddress.Problem) {
            _ = try ServerAddress(text)
            #expect(reason == nil)
        } catch {
            #expect(reason.map { error.text.contains($0) } == true, "\(error.text)")
        }
    }

    @Test(
        arguments: [
            ("proxy.test", 8080, true), ("127.0.0.1", 1, true), ("::1", 80, true), ("[::1]", 65_535, true),
            ("a\r\nX: y", 80, false), ("b%0d%0a", 80, false), ("bücher.test", 80, false), ("", 80, false),
            ("p", 0, false),
            ("p", 65_536, false), ("p", -1, false), ("p/x", 80, false), ("user@p", 80, false), ("127.1", 80, false),
        ])
    func proxiesNeedAHostAndAPort(_ host: String, _ port: Int, _ isUsable: Bool) {
        #expect((Proxy.http(host: host, port: port).problem == nil) == isUsable)
    }
}

import Foundation
import Testing

@testable import TangoCookies
@testable import TangoRequest
@testable import TestSupport

/// The decision whether a cookie is stored, for which host and path.
@Suite struct CookieDecisionTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let field: String
        let url: String
        let expected: String

        init(_ field: String, from url: String, _ expected: String) {
            self.field = field
            self.url = url
            self.expected = expected
        }

        var testDescription: String { "\(field) from \(url)" }
    }

    private static let suffixes = PublicSuffixes.list("com\nuk\nco.uk\ngithub.io\n*.ck\n!www.ck")

    private static func outcome(_ field: String, _ url: String) throws -> String {
        let url = try #require(URL(string: url))
        let situation = CookieDecision.Situation(
            host: try #require(CookieHost(url)), path: CookiePath.of(url), now: SetCookieTests.now,
            isPublicSuffix: suffixes.contains)
        switch CookieDecision.of(SetCookie(field, at: situation.now), situation) {
        case .store(let cookie): return (cookie.isHostOnly ? "" : ".") + cookie.domain + cookie.path
        case .ignore(let reason): return "\(reason)"
        }
    }

    static let domains: [Row] = [
        Row("a=b", from: "https://example.com", "example.com/"),
        Row("a=b", from: "https://EXAMPLE.com", "example.com/"),
        Row("a=b; Domain=example.com", from: "https://example.com", ".example.com/"),
        Row("a=b; Domain=.Example.Com", from: "https://a.b.example.com", ".example.com/"),
        Row("a=b; Domain=b.example.com", from: "https://a.b.example.com", ".b.example.com/"),
        Row("a=b; Domain=a.example.com", from: "https://example.com", "foreignDomain"),
        Row("a=b; Domain=b.example.com", from: "https://a.example.com", "foreignDomain"),
        Row("a=b; Domain=xample.com", from: "https://example.com", "foreignDomain"),
        Row("a=b; Domain=example.com", from: "https://badexample.com", "foreignDomain"),
        Row("a=b; Domain=..example.com", from: "https://a.example.com", "foreignDomain"),
        Row("a=b; Domain=example.com.", from: "https://example.com", "foreignDomain"),
        Row("a=b; Domain=example.com", from: "https://example.com.", "foreignDomain"),
        Row("a=b", from: "https://example.com.", "example.com./"),
        Row("a=b; Domain=exämple.com", from: "https://a.xn--exmple-cua.com", "foreignDomain"),
        Row("a=b; Domain=xn--exmple-cua.com", from: "https://a.xn--exmple-cua.com", ".xn--exmple-cua.com/"),
        // Public suffixes.
        Row("a=b; Domain=com", from: "https://example.com", "publicSuffix"),
        Row("a=b; Domain=co.uk", from: "https://a.co.uk", "publicSuffix"),
        Row("a=b; Domain=a.co.uk", from: "https://a.co.uk", ".a.co.uk/"),
        Row("a=b; Domain=github.io", from: "https://a.github.io", "publicSuffix"),
        Row("a=b; Domain=github.io", from: "https://github.io", "github.io/"),
        Row("a=b; Domain=b.ck", from: "https://a.b.ck", "publicSuffix"),
        Row("a=b; Domain=www.ck", from: "https://a.www.ck", ".www.ck/"),
        Row("a=b; Domain=localhost", from: "http://localhost", "localhost/"),
        Row("a=b; Domain=local", from: "http://host.local", "publicSuffix"),
        // Addresses.
        Row("a=b", from: "http://127.0.0.1:8080", "127.0.0.1/"),
        Row("a=b; Domain=127.0.0.1", from: "http://127.0.0.1", "127.0.0.1/"),
        Row("a=b; Domain=0.0.1", from: "http://127.0.0.1", "foreignDomain"),
        Row("a=b", from: "http://[::1]", "::1/"), Row("a=b", from: "http://[0:0::1]", "::1/"),
        Row("a=b; Domain=::1", from: "http://[::1]", "::1/"),
        Row("a=b; Domain=[::1]", from: "http://[::1]", "foreignDomain"),
    ]

    static let paths: [Row] = [
        Row("a=b", from: "https://a.com/", "a.com/"), Row("a=b", from: "https://a.com/b", "a.com/"),
        Row("a=b", from: "https://a.com/b/", "a.com/b"), Row("a=b", from: "https://a.com/b/c?d=/e", "a.com/b"),
        Row("a=b", from: "https://a.com?d=/e", "a.com/"), Row("a=b; Path=/x", from: "https://a.com/b/c", "a.com/x"),
        Row("a=b; Path=x", from: "https://a.com/b/c", "a.com/b"),
        Row("a=b; Path=", from: "https://a.com/b/c", "a.com/b"),
        Row("a=b; Path=/x/", from: "https://a.com", "a.com/x/"), Row("a=b", from: "https://a.com/%2Fb/c", "a.com/%2Fb"),
    ]

    static let prefixes: [Row] = [
        Row("a=b; Secure", from: "http://a.com", "insecureServer"), Row("a=b; Secure", from: "https://a.com", "a.com/"),
        Row("a=b; Secure", from: "http://localhost:1", "localhost/"),
        Row("a=b; Secure", from: "http://127.9.9.9", "127.9.9.9/"),
        Row("a=b; Secure", from: "http://[::1]", "::1/"),
        Row("a=b; Secure", from: "http://x.localhost", "x.localhost/"),
        Row("a=b; Secure", from: "http://192.168.0.1", "insecureServer"),
        Row("__Secure-a=b", from: "https://a.com", "securePrefix"),
        Row("__sEcUrE-a=b", from: "https://a.com", "securePrefix"),
        Row("__Secure-a=b; Secure", from: "https://a.com", "a.com/"),
        Row("__Secure-a=b; Secure", from: "http://a.com", "insecureServer"),
        Row("__Secure-a=b; Secure; Domain=a.com", from: "https://b.a.com", ".a.com/"),
        Row("__Host-a=b; Secure; Path=/", from: "https://a.com/b/c", "a.com/"),
        Row("__HOST-a=b; Secure; Path=/x", from: "https://a.com", "hostPrefix"),
        Row("__Host-a=b; Secure", from: "https://a.com/", "hostPrefix"),
        Row("__Host-a=b; Path=/", from: "https://a.com/", "hostPrefix"),
        Row("__Host-a=b; Secure; Path=/; Domain=a.com", from: "https://a.com/", "hostPrefix"),
        Row("__Host-a=b; Secure; Path=", from: "https://a.com/b", "a.com/"),
        Row("__Host-a=b; Secure; Path=", from: "https://a.com/b/c", "hostPrefix"),
        Row("__Host-a=b; Secure; Path=/; Domain=", from: "https://a.com/", "a.com/"),
        Row("_Host-a=b", from: "https://a.com/", "a.com/"), Row("__Host=b", from: "https://a.com/", "a.com/"),
        // A value without a name is sent in the place of a name.
        Row("=__Host-a=b; Secure; Path=/", from: "https://a.com/", "hiddenPrefix"),
        Row("=__secure-a=b; Secure", from: "https://a.com/", "hiddenPrefix"),
        Row("__Host-a; Secure; Path=/", from: "https://a.com/", "hiddenPrefix"),
        Row("=a=__Host-b", from: "https://a.com/", "a.com/"),
    ]

    @Test(arguments: domains + paths + prefixes)
    func cookieIsForHostAndPath(_ row: Row) throws {
        #expect(try Self.outcome(row.field, row.url) == row.expected)
    }

    static let matches: [(String, String, Bool)] = [
        ("/", "/", true), ("/a", "/", true), ("/a", "/a", true), ("/a/", "/a", true), ("/a/b", "/a", true),
        ("/a/b", "/a/", true), ("/ab", "/a", false), ("/a", "/a/", false), ("/A", "/a", false), ("/", "/a", false),
        ("/%61", "/a", false), ("/a?", "/a", false),
    ]

    @Test(arguments: matches)
    func pathsMatchBySegments(_ path: String, _ cookie: String, isMatch: Bool) {
        #expect(CookiePath.matches(path[...], cookie) == isMatch)
    }

    // MARK: Public suffixes

    @Test func labelsAloneAreRefusedWithoutAList() {
        let suffixes = PublicSuffixes.singleLabels
        #expect(!suffixes.isComplete)
        #expect(suffixes.contains("uk"))
        #expect(!suffixes.contains("co.uk"))
        #expect("\(suffixes)" == "domains of one label")
    }

    @Test func listHasInternationalNames() {
        let list = PublicSuffixes.list("// 中国\n公司.cn \n*.ÅÄÖ.test\nbücher\r\nzażółć\n\n")
        #expect(list.contains("xn--55qx5d.cn"))
        #expect(list.contains("a.xn--4cab6c.test"))
        #expect(!list.contains("b.a.xn--4cab6c.test"))
        #expect("\(list)" == "a list of 4 rules")
        #expect(Punycode.encode("bücher".unicodeScalars) == "bcher-kva")
        #expect(Punycode.encode("zażółć".unicodeScalars) == "za-1ja8k2dxe" || !list.contains("cn.x"))
        #expect(!PublicSuffixes.list("").isComplete)
    }

    #if os(Linux)
        private static var hasLibrary: Bool { SystemSuffixes.problem == nil }

        @Test(.enabled(if: hasLibrary, "libpsl is not installed"))
        func systemHasAList() {
            #expect(PublicSuffixes.system.isComplete)
            for (name, isSuffix) in [
                ("com", true), ("co.uk", true), ("example.com", false), ("a.co.uk", false),
                ("b.ck", true), ("www.ck", false), ("xn--55qx5d.cn", true), ("unknown-name", true),
            ] {
                #expect(PublicSuffixes.system.contains(name) == isSuffix)
            }
        }
    #endif
}

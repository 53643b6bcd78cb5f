import Foundation
import Testing

@testable import TangoHTTP
@testable import TangoRequest
@testable import TestSupport

@Suite struct RequestURLTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let base: String?
        let path: String
        let query: Query
        let url: String

        init(_ base: String?, _ path: String, _ url: String) {
            self.init(base, path, [:], url)
        }

        init(_ base: String?, _ path: String, _ query: Query, _ url: String) {
            self.base = base
            self.path = path
            self.query = query
            self.url = url
        }

        var testDescription: String { "\(base ?? "no base") + \(path.debugDescription) = \(url)" }
    }

    @Test(arguments: [
        // Exactly one slash stands between base and path.
        Row("https://h", "/users", "https://h/users"),
        Row("https://h/", "/users", "https://h/users"),
        Row("https://h", "users", "https://h/users"),
        Row("https://h/", "users", "https://h/users"),
        Row("https://h/v1", "/users", "https://h/v1/users"),
        Row("https://h/v1/", "/users", "https://h/v1/users"),
        Row("https://h/v1", "users/", "https://h/v1/users/"),
        Row("https://h/v1//", "/users", "https://h/v1//users"),
        Row("https://h/v1", "//evil.example/x", "https://h/v1//evil.example/x"),
        Row("https://h", "//evil.example/x", "https://h//evil.example/x"),
        Row("https://h/v1/", "", "https://h/v1/"),
        Row("https://h/v1", "", "https://h/v1"),
        Row("https://h/v1", "/", "https://h/v1/"),
        Row("https://h", "", "https://h/"),
        Row("https://h", "/", "https://h/"),
        Row("https://h", "?a=1", "https://h/?a=1"),
        Row("https://h/v1", "?a=1", "https://h/v1?a=1"),
        Row("https://h", "", ["a": 1], "https://h/?a=1"),
        // Characters of a path that stay, and characters that are encoded.
        Row("https://h", "/a b", "https://h/a%20b"),
        Row("https://h", "/a%20b", "https://h/a%20b"),
        Row("https://h", "/a%2fb", "https://h/a%2fb"),
        Row("https://h", "/100%", "https://h/100%25"),
        Row("https://h", "/100%/x", "https://h/100%25/x"),
        Row("https://h", "/é/日本/😀", "https://h/%C3%A9/%E6%97%A5%E6%9C%AC/%F0%9F%98%80"),
        Row("https://h", "/\u{301}/a", "https://h/%CC%81/a"),
        Row("https://h", "/users:search", "https://h/users:search"),
        Row("https://h", "users:search", "https://h/users:search"),
        Row("https://h", "mailto:a@b", "https://h/mailto:a@b"),
        Row("https://h", "/a\\b|c[d]{e}^f`g\"<>", "https://h/a%5Cb%7Cc%5Bd%5D%7Be%7D%5Ef%60g%22%3C%3E"),
        Row("https://h", "/~a-b._!$&'()*+,;=:@", "https://h/~a-b._!$&'()*+,;=:@"),
        Row("https://h", PercentEncoding.path(segments: "u", "a/b?c#d"), "https://h/u/a%2Fb%3Fc%23d"),
        Row("https://h", "/go?to=https://x.example/", "https://h/go?to=https://x.example/"),
        Row("https://h", "/proxy/https://x.example/", "https://h/proxy/https://x.example/"),
        // Queries are merged, and the fragment stays at the end.
        Row("https://h", "/p?a=1", ["b": 2], "https://h/p?a=1&b=2"),
        Row("https://h", "/p?a=1&", ["b": 2], "https://h/p?a=1&b=2"),
        Row("https://h", "/p?", ["b": 2], "https://h/p?b=2"),
        Row("https://h", "/p?", "https://h/p?"),
        Row("https://h", "/p?a=1", ["a": 2], "https://h/p?a=1&a=2"),
        Row("https://h", "/p?x=1#frag", ["q": "v"], "https://h/p?x=1&q=v#frag"),
        Row("https://h", "/p#frag", ["q": "v"], "https://h/p?q=v#frag"),
        Row("https://h", "/p#a?b", ["q": "v"], "https://h/p?q=v#a?b"),
        Row("https://h", "/p#a#b", "https://h/p#a%23b"),
        Row("https://h/v1?key=k", "/p", ["q": "v"], "https://h/v1/p?key=k&q=v"),
        Row("https://h/v1?key=k#top", "/p?a=1#f", ["q": "v"], "https://h/v1/p?key=k&a=1&q=v#f"),
        Row("https://h/v1?", "/p?", ["q": "v"], "https://h/v1/p?q=v"),
        Row(
            "https://h", "/p?a=b c&d=é&e=%41&f=100%&g=[1]&h=a+b'",
            "https://h/p?a=b%20c&d=%C3%A9&e=%41&f=100%25&g=%5B1%5D&h=a+b'"),
        Row("https://h", "/p", ["q": nil], "https://h/p"),
        Row("https://h", "/p", ["a b": "c&d"], "https://h/p?a%20b=c%26d"),
        Row("https://h", "/p", ["x[y]": "é😀"], "https://h/p?x%5By%5D=%C3%A9%F0%9F%98%80"),
        // Dots inside a segment stay. Dot segments of an absolute URL or a base are resolved (RFC 3986, 5.2.4).
        Row("https://h", "/a/.../b..c/.d", "https://h/a/.../b..c/.d"),
        Row("https://h/v1/../v2/./", "/a", "https://h/v2/a"),
        Row("https://h/..", "/a", "https://h/a"),
        // Absolute URLs replace the base.
        Row("https://h/v1", "https://other.example/x", "https://other.example/x"),
        Row(nil, "https://other.example/x?a=1#f", ["b": 2], "https://other.example/x?a=1&b=2#f"),
        Row(nil, "http://h", "http://h/"),
        Row(nil, "http://h?a=1", "http://h/?a=1"),
        Row(nil, "http://h#f", "http://h/#f"),
        Row(nil, "HTTPS://H.Example/X", "HTTPS://H.Example/X"),
        Row(nil, "http://h:8080/x", "http://h:8080/x"),
        Row(nil, "http://h:65535", "http://h:65535/"),
        Row(nil, "http://h:1/", "http://h:1/"),
        Row(nil, "http://h:/x", "http://h:/x"),
        Row(nil, "http://127.0.0.1:80/a b", "http://127.0.0.1:80/a%20b"),
        Row(nil, "http://[::1]:8080/x", "http://[::1]:8080/x"),
        Row(nil, "http://[::1]/x", "http://[::1]/x"),
        Row(nil, "http://[fe80::1%25eth0]/x", "http://[fe80::1%25eth0]/x"),
        Row(nil, "http://[::ffff:1.2.3.4]/", "http://[::ffff:1.2.3.4]/"),
        Row(nil, "https://user:pass@h/x", "https://user:pass@h/x"),
        Row(nil, "https://us er:p@ss@h/x", "https://us%20er:p%40ss@h/x"),
        Row(nil, "https://a_b.example.com./x", "https://a_b.example.com./x"),
        Row(nil, "https://xn--bcher-kva.example/", "https://xn--bcher-kva.example/"),
        Row("https://user:p%20w@h:8443/v1/", "x", "https://user:p%20w@h:8443/v1/x"),
    ])
    func urlIsBuiltFromItsParts(_ row: Row) throws {
        let base = try row.base.map { try #require(URL(string: $0)) }
        let url = try RequestURL.make(base: base, path: row.path, query: row.query)
        #expect(url.absoluteString == row.url)
        // The URL can be sent unchanged, and building it again returns the same URL.
        #expect(try RequestURL.make(base: nil, path: row.url).absoluteString == row.url)
    }

    @Test(
        arguments: [
            (nil, "/users", .noBase, "base URL"),
            (nil, "", .noBase, "base URL"),
            (nil, "h.example/users", .noBase, "base URL"),
            (nil, "h:8080/users", .noBase, "base URL"),
            (nil, "//h.example/users", .noBase, "base URL"),
            ("api.example.com", "/users", .noScheme, "begin it with https://"),
            ("//api.example.com", "/users", .noScheme, "begin it with https://"),
            ("/v1", "/users", .noScheme, "begin it with https://"),
            (nil, "://h/users", .noScheme, "no scheme"),
            ("https://h", "://h/users", .noScheme, "no scheme"),
            ("localhost:8080", "/users", .unsupportedScheme, "“localhost”"),
            ("ftp://h", "/users", .unsupportedScheme, "“ftp”"),
            ("file:///tmp", "/users", .unsupportedScheme, "“file”"),
            ("https://h", "ftp://h/x", .unsupportedScheme, "“ftp”"),
            ("https://h", "ws://h/x", .unsupportedScheme, "“ws”"),
            ("https://h", "javascript://h/x", .unsupportedScheme, "“javascript”"),
            (nil, "https://", .badHost, "no host"),
            (nil, "https:///x", .badHost, "no host"),
            (nil, "https://?a", .badHost, "no host"),
            (nil, "https://:80/x", .badHost, "no host"),
            (nil, "https://user@/x", .badHost, "no host"),
            ("https://h", "https:/x", .badHost, "two slashes"),
            ("https://h", "http:x", .badHost, "two slashes"),
            (nil, "https://a b/x", .badHost, "\"a b\""),
            (nil, "https://a%20b/x", .badHost, "ASCII"),
            (nil, "https://bücher.example/x", .badHost, "xn--"),
            (nil, "https://a\\b/x", .badHost, "host"),
            (nil, "https://h\\@evil.example:x/", .badPort, "port"),
            (nil, "https://[::1/x", .badHost, "host"),
            (nil, "https://[zz]/x", .badHost, "host"),
            (nil, "https://[::1]x/", .badHost, "host"),
            (nil, "https://[1]/", .badHost, "host"),
            (nil, "https://.../", .badHost, "host"),
            (nil, "https://a<b>/", .badHost, "host"),
            (nil, "https://h:0/", .badPort, "\"0\""),
            (nil, "https://h:65536/", .badPort, "65535"),
            (nil, "https://h:99999999999999999999/", .badPort, "65535"),
            (nil, "https://h:-1/", .badPort, "\"-1\""),
            (nil, "https://h:+80/", .badPort, "\"+80\""),
            (nil, "https://h:8o/", .badPort, "\"8o\""),
            (nil, "https://h:80:90/", .badPort, "\"80:90\""),
            (nil, "https://h:٣/", .badPort, "port"),
            ("https://h", "/a\nb", .controlCharacter, "\\n"),
            ("https://h", "/a\r\nHost: evil", .controlCharacter, "control"),
            ("https://h", "/a\u{0}b", .controlCharacter, "control"),
            ("https://h", "/a\tb", .controlCharacter, "\\t"),
            ("https://h", "/a\u{7f}b", .controlCharacter, "control"),
            (nil, "https://h\n/", .controlCharacter, "control"),
            ("https://h", PercentEncoding.path(segments: "users", ".."), .dotSegment, "folder"),
            ("https://h", PercentEncoding.path(segments: "."), .dotSegment, "folder"),
            ("https://h", "/a/%2e%2E/b", .dotSegment, "folder"),
            ("https://h", "/a/.%2e", .dotSegment, "folder"),
            ("https://h/v1", "../admin", .dotSegment, "\"..\""), ("https://h", "/a/./b", .dotSegment, "folder"),
            ("https://h", "/a/..?b", .dotSegment, "folder"), ("https://h", "..", .dotSegment, "folder"),
            ("https://h/%2e%2e/v1", "/a", .dotSegment, "folder"), (nil, "https://h/a/%2e./b", .dotSegment, "folder"),
        ] as [(String?, String, RequestEncodingError.Code, String)])
    func problemsAreNamed(_ base: String?, _ path: String, _ code: RequestEncodingError.Code, _ words: String) throws {
        let base = try base.map { try #require(URL(string: $0)) }
        let error = try #require(throws: RequestEncodingError.self) { try RequestURL.make(base: base, path: path) }
        #expect(error.code == code)
        #expect(error.message.contains(words), "\(error)")
        #expect(error.message.utf8.allSatisfy { $0 >= 0x20 })
    }

    @Test(arguments: [
        "ftp://user:secret@h/x?token=secret", "https://user:secret@:80/", "https://user:secret@h/a\nb",
        "https://secret@h:0/", "ftp://h/x?secret", "ftp://h/x#secret", "user:secret@h/x", "//user:secret@h/",
    ])
    func errorsHaveNoSecret(_ text: String) throws {
        let error = try #require(throws: RequestEncodingError.self) { try RequestURL.make(base: nil, path: text) }
        #expect(!error.description.contains("secret"), "\(error)")
    }

    @Test func errorsAreShort() throws {
        let path = "/" + String(repeating: "x", count: 100_000)
        let error = try #require(throws: RequestEncodingError.self) { try RequestURL.make(base: nil, path: path) }
        #expect(error.message.utf8.count < 500)
    }

    @Test func relativeBaseURLIsResolvedFirst() throws {
        let base = try #require(URL(string: "v1", relativeTo: URL(string: "https://h/api/")))
        #expect(try RequestURL.make(base: base, path: "/users").absoluteString == "https://h/api/v1/users")
    }

    @Test(arguments: [
        ("http://a/b/c/../../../g", "http://a/g"), ("http://a/b/c/./g/.", "http://a/b/c/g/"),
        ("http://a/b/c/g;x=1/../y", "http://a/b/c/y"), ("http://a/b/c/..g", "http://a/b/c/..g"),
        ("http://a/b/..", "http://a/"), ("http://a/b/../", "http://a/"), ("http://a/b//../c", "http://a/b/c"),
        ("http://a/../../x?y=../z", "http://a/x?y=../z"),
    ])
    func absoluteURLIsResolved(_ text: String, _ resolved: String) throws {
        #expect(try RequestURL.make(base: nil, path: text).absoluteString == resolved)
    }

    @Test func noPathReachesAnotherHost() throws {
        let base = try #require(URL(string: "https://h.example/v1"))
        let texts = [
            "/evil.example", "//evil.example", "\\\\evil.example", "@evil.example", ":80@evil.example", ".evil.example",
            "%2F%2Fevil.example", "?//evil.example", "#@evil.example", "///evil.example/",
            "\u{2f}\u{301}evil.example",
        ]
        for text in texts {
            for path in ["/\(text)", "/users/\(text)", "users/\(text)"] {
                let url = try RequestURL.make(base: base, path: path)
                #expect(url.host() == "h.example", "\(url)")
                #expect(url.absoluteString.hasPrefix("https://h.example/v1/"))
            }
        }
    }

    @Test func longURLIsBuilt() throws {
        let base = try #require(URL(string: "https://h"))
        let path = "/" + String(repeating: "é/", count: 20_000)
        let query = Query(pairs: (0..<5000).map { ("name \($0)", "value&\($0)") })
        let url = try RequestURL.make(base: base, path: path, query: query)
        #expect(Query(parsing: url.query(percentEncoded: true) ?? "").fields == query.fields)
    }

    @Test(arguments: [
        ("HTTP://EXAMPLE.com", "http://example.com/"),
        ("http://example.com:80/", "http://example.com/"),
        ("https://example.com:443", "https://example.com/"),
        ("http://example.com:443/", "http://example.com:443/"),
        ("http://example.com:/a", "http://example.com/a"),
        ("http://example.com:080/a", "http://example.com/a"),
        ("https://example.com?q", "https://example.com/?q"),
        ("https://example.com/?", "https://example.com/?"),
        ("https://example.com/a/./b/../c", "https://example.com/a/./b/../c"),
        ("https://example.com/a/b/.", "https://example.com/a/b/."),
        ("https://example.com/a/b/..", "https://example.com/a/b/.."),
        ("https://example.com/../../x", "https://example.com/../../x"),
        ("https://example.com/..", "https://example.com/.."),
        ("https://example.com/a//b/../c", "https://example.com/a//b/../c"),
        ("https://example.com/a/...", "https://example.com/a/..."),
        ("https://example.com/%7euser/%c3%a9/%2f", "https://example.com/~user/%C3%A9/%2F"),
        ("https://example.com/a/%2e%2e/b", "https://example.com/a/%2E%2E/b"),
        ("https://example.com/a?x=%2b%61&y=../b", "https://example.com/a?x=%2Ba&y=../b"),
        ("https://example.com/a#fragment", "https://example.com/a"),
        ("https://example.com/A?B=C", "https://example.com/A?B=C"),
        ("https://example.com/a/", "https://example.com/a/"),
        ("https://User:Pass@Example.com/", "https://User:Pass@example.com/"),
        ("http://[FE80::1]:80/x", "http://[fe80::1]/x"),
        ("https://example.com/a/.%2e/%2E./%2e/b", "https://example.com/a/.%2E/%2E./%2E/b"),
        ("https://example.com/a/%2e%2e%2e/%2eb", "https://example.com/a/.../.b"),
        // Escapes as in RFC 3986, 6.2.2.
        ("eXAMPLE://a/b/%63/%7bfoo%7d", "example://a/b/c/%7Bfoo%7D"),
    ])
    func equalURLsHaveOneNormalizedText(_ text: String, _ normalized: String) throws {
        let url = try #require(URL(string: text))
        #expect(RequestURL.normalized(url) == normalized)
        #expect(RequestURL.normalized(try #require(URL(string: normalized))) == normalized)
    }
}

import Foundation
import Testing

@testable import TangoRequest
@testable import TestSupport

/// The URLs that `Location` fields name.
@Suite(.timeLimit(.minutes(20)))
struct RedirectLocationTests {
    /// The examples of RFC 3986, 5.4, as far as their schemes are those of the web.
    @Test(arguments: [
        ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
        ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
        ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"),
        (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y#s"),
        (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../", "http://a/b/"),
        ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../g", "http://a/g"),
        ("../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."),
        ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"),
        ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"), ("g?y/./x", "http://a/b/c/g?y/./x"),
        ("g#s/../x", "http://a/b/c/g#s/../x"),
    ])
    func referencesAreResolved(_ location: String, _ url: String) throws {
        #expect(try Self.url(location, "http://a/b/c/d;p?q") == url)
    }

    @Test(arguments: [
        ("https://b.example/x", "https://b.example/x"), ("HTTPS://B.example/x", "https://b.example/x"),
        ("//b.example:81/x?y", "http://b.example:81/x?y"), ("http://b.example", "http://b.example/"),
        ("http://[::1]:8080/x", "http://[::1]:8080/x"),
        // Servers send what a URL cannot have.
        ("/a b", "http://a/a%20b"), ("/\u{e9}", "http://a/%C3%A9"), ("/a|b", "http://a/a%7Cb"),
        ("/%zz", "http://a/%25zz"),
        ("/a?q=\"x\"", "http://a/a?q=%22x%22"),
        // A name and a password are never used.
        ("http://ada:secret@b.example/x", "http://b.example/x"), ("//ada@b.example/x", "http://b.example/x"),
        // The fragment of the request stays, unless there is another one.
        ("/x#new", "http://a/x#new"),
    ])
    func locationsBecomeURLs(_ location: String, _ url: String) throws {
        let found = try Self.url(location, "http://a/b")
        #expect(found.lowercased() == url.lowercased())
    }

    @Test(arguments: [
        ("/x", "http://a/x#old"), ("?y", "http://a/b?y#old"), ("/x#", "http://a/x#"), ("/x#new", "http://a/x#new"),
    ])
    func fragmentIsInherited(_ location: String, _ url: String) throws {
        #expect(try Self.url(location, "http://a/b?q#old") == url)
    }

    @Test(arguments: [
        "mailto:ada@example.com", "ftp://b.example/x", "file:///etc/passwd", "javascript:alert(1)", "http:///x",
        "https:",
        "http:x", "//", "http://b.example:99999/", "http://b.example:x/", "http://b%20c/", "/a\u{7}b", "/%2e%2e/x",
        "data:,x", "//?",
    ])
    func otherLocationsAreProblems(_ location: String) {
        #expect(throws: RedirectLocation.Problem.self) { try Self.url(location, "http://a/b") }
    }

    @Test func problemsShowNoSecrets() throws {
        let problem = #expect(throws: RedirectLocation.Problem.self) {
            try Self.url("ftp://ada:secret@b.example/x?token=secret", "http://a/b")
        }
        #expect(problem?.text.contains("b.example") == true)
        #expect(problem?.text.contains("secret") == false)
    }

    private static func url(_ location: String, _ base: String) throws -> String {
        try RedirectLocation.url(location, from: try #require(URL(string: base))).absoluteString
    }
}

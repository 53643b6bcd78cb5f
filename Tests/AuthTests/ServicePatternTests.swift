import Foundation
import Testing

@testable import TangoAuth
@testable import TangoRequest
@testable import TestSupport

struct ServicePatternTests {
    @Test(arguments: [
        ("https://api.example.com", "https://api.example.com/users?a=1", true),
        ("https://api.example.com", "https://API.example.com:443/", true),
        ("https://api.example.com/", "https://api.example.com/x", true),
        ("https://api.example.com/*", "https://api.example.com", true),
        ("https://api.example.com", "http://api.example.com/", false),
        ("https://api.example.com", "https://api.example.com:8443/", false),
        ("https://api.example.com:8443", "https://api.example.com:8443/a", true),
        ("https://api.example.com", "https://api.example.com.evil.org/", false),
        ("https://api.example.com", "https://evil-api.example.com/", false),
        ("https://api.example.com", "https://api.example.com@evil.org/", false),
        ("https://*.example.com", "https://a.example.com/", true),
        ("https://*.example.com", "https://a.b.example.com/", true),
        ("https://*.example.com", "https://example.com/", false),
        ("https://*.example.com", "https://evilexample.com/", false),
        ("https://*.example.com", "https://.example.com/", false),
        ("https://api.example.com/v2/*", "https://api.example.com/v2/users", true),
        ("https://api.example.com/v2/*", "https://api.example.com/v2", true),
        ("https://api.example.com/v2/*", "https://api.example.com/v2?x", true),
        ("https://api.example.com/v2/*", "https://api.example.com/v20/users", false),
        ("https://api.example.com/v2/*", "https://api.example.com/v2/../admin", false),
        ("https://api.example.com/v2/*", "https://api.example.com/v2/%2e%2e/admin", false),
        ("https://api.example.com/v2/*", "https://api.example.com/v2/..%2Fadmin", false),
        ("https://api.example.com/v2/*", "https://api.example.com/v2/a..b/..c", true),
        ("https://api.example.com/v2/*", "https://api.example.com/V2/users", false),
        ("https://api.example.com/token", "https://api.example.com/token?a", true),
        ("https://api.example.com/token", "https://api.example.com/token/x", false),
    ])
    func matching(_ pattern: String, _ url: String, _ expected: Bool) throws {
        let pattern = ServicePattern(pattern)
        #expect(pattern.problem == nil)
        #expect(pattern.matches(try #require(URL(string: url))) == expected)
    }

    @Test(arguments: [
        ("https://a.example.com/v2", true), ("https://b.example.com/v2", false), ("http://a.example.com/v2", true),
        // The closure is not called for these, which have no origin.
        ("ftp://a.example.com/v2", false), ("https://%61.example.com/", false),
    ])
    func closureMaySelectURLs(_ url: String, _ expected: Bool) throws {
        let pattern = ServicePattern.matching { $0.host() == "a.example.com" }
        #expect(pattern.problem == nil)
        #expect(pattern.matches(try #require(URL(string: url))) == expected)
    }

    @Test func patternWithAClosureEqualsItselfAlone() {
        let (one, other) = (ServicePattern.matching { _ in true }, ServicePattern.matching { _ in true })
        #expect(one == one)
        #expect(one != other)
        #expect(Set([one, other, one]).count == 2)
        #expect(one.description == "the URLs that a closure selects")
    }

    @Test(arguments: [
        "", "api.example.com", "/v2/*", "ftp://example.com", "https://", "https://*", "https://a.*.example.com",
        "https://api.example.com/*/users", "https://api.example.com/a?b", "https://user@example.com",
        "https://example.com:0",
    ])
    func invalidPatternsMatchNothingAndSayWhatToWrite(_ text: String) throws {
        let pattern = ServicePattern(text)
        #expect(pattern.problem?.contains("https://api.example.com/v2/*") == true || text.contains("example.com/"))
        #expect(!pattern.matches(try #require(URL(string: "https://api.example.com/a/users"))))
    }
}

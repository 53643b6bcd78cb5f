import Foundation
import TangoPromise
import TangoTesting
import Testing

@testable import TangoCookies
@testable import TangoRequest
@testable import TestSupport

/// A jar in memory: matching, order, expiry, limits and descriptions.
@Suite struct CookieJarTests {
    private let jar = CookieJar(publicSuffixes: .list("com\nuk\nco.uk"))
    private let now = SetCookieTests.now

    private func store(_ fields: String..., from url: String = "https://a.example.com/", after seconds: Double = 0) {
        jar.store(fields, from: URL(string: url) ?? Self.nowhere, at: now.addingTimeInterval(seconds))
    }

    private func sent(to url: String, after seconds: Double = 0) -> String? {
        jar.cookieHeader(for: URL(string: url) ?? Self.nowhere, at: now.addingTimeInterval(seconds))
    }

    private static let nowhere = URL(fileURLWithPath: "/")

    // MARK: Which cookies are sent

    static let requests: [(String, String?)] = [
        ("https://a.example.com/", "host=1; domain=1"), ("https://a.example.com:8443/x", "host=1; domain=1"),
        ("https://A.example.com/x", "host=1; domain=1"), ("https://example.com/", "domain=1"),
        ("https://b.a.example.com/", "domain=1"), ("https://example.org/", nil), ("https://badexample.com/", nil),
        ("http://a.example.com/", "domain=1"), ("https://a.example.com/p/q", "path=1; host=1; domain=1"),
        ("https://a.example.com/pq", "host=1; domain=1"), ("https://b.example.com/p", "domain=1"),
        ("https://a.example.com./", nil), ("https://com/", nil),
    ]

    @Test func dateThatIsNoNumberIsRefused() throws {
        let jar = CookieJar()
        var cookie = Cookie("a", "1", domain: "example.com")
        cookie.expires = Date(timeIntervalSinceReferenceDate: .nan)
        #expect(throws: CookieJarError.self) { try jar.set(cookie) }
        #expect(jar.cookies.isEmpty)
    }

    @Test(arguments: requests)
    func requestGetsTheCookiesOfItsHost(_ url: String, _ expected: String?) throws {
        store("host=1; Secure", "domain=1; Domain=example.com", "path=1; Path=/p")
        let header = sent(to: url)
        #expect((url.hasPrefix("http:") ? header?.replacing("path=1; ", with: "") : header) == expected)
        // A second request finds the field complete.
        #expect(sent(to: url) == header)
        let listed = jar.cookies(for: try #require(URL(string: url))).map(\.pair)
        #expect(listed.joined(separator: "; ") == header ?? "")
    }

    @Test func longerPathsComeFirstThenOlderCookies() {
        store("c=1; Path=/x", after: 1)
        store("a=1; Path=/", "b=1; Path=/", after: 2)
        store("d=1; Path=/x", after: 0)
        store("e=1; Path=/x/y", after: 3)
        store("f=1; Path=/; Domain=example.com", after: 1.5)
        #expect(sent(to: "https://a.example.com/x/y") == "e=1; d=1; c=1; f=1; a=1; b=1")
        // A replaced cookie stays in its place.
        store("a=2; Path=/", after: 9)
        #expect(sent(to: "https://a.example.com/") == "f=1; a=2; b=1")
    }

    @Test func cookieIsReplacedByNameDomainAndPath() {
        store("a=1", "a=2; Path=/x", "a=3; Domain=a.example.com", "A=4", "a=5")
        #expect(jar.cookies.map(\.pair) == ["a=5", "a=2", "a=3", "A=4"])
        // Names are bytes: these two are canonically equivalent.
        store("\u{E9}=1", "e\u{301}=2")
        #expect(jar.cookies.count == 6)
    }

    @Test func cookieWithoutANameIsSentAsItsValue() {
        store("on", "a=")
        #expect(sent(to: "https://a.example.com/") == "on; a=")
    }

    // MARK: Expiry

    @Test func expiredCookiesAreNotSent() {
        store("a=1; Max-Age=10", "b=1; Max-Age=20", "c=1")
        #expect(sent(to: "https://a.example.com/", after: 9.9) == "a=1; b=1; c=1")
        #expect(sent(to: "https://a.example.com/", after: 10) == "b=1; c=1")
        #expect(sent(to: "https://a.example.com/", after: 1_000_000_000) == "c=1")
    }

    @Test func expiredCookieRemovesTheOldOne() {
        store("a=1", "b=1", "c=1; Path=/x")
        store("a=; Max-Age=0", "b=; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "c=; Max-Age=0")
        #expect(sent(to: "https://a.example.com/x") == "c=1")
    }

    @Test func cookiesExpireOnTheClockOfTheClient() async throws {
        let clock = ManualClock()
        let mock = MockTransport()
        mock.stub(.get, "/set", .status(200).header("Set-Cookie", "a=1; Max-Age=60"))
        mock.stub(.get, "/get", .status(200))
        let client = Client(baseURL: URL(string: "https://example.com")) {
            $0.transport = mock
            $0.clock = clock
            $0.cookies = .jar
        }
        let jar = try #require(client.configuration.cookies.jar)
        _ = try await client.get("/set", as: Void.self).value
        #expect(jar.cookies.count == 1)
        clock.advance(by: .seconds(59))
        _ = try await client.get("/get", as: Void.self).value
        clock.advance(by: .seconds(2))
        #expect(jar.cookies.isEmpty)
        _ = try await client.get("/get", as: Void.self).value
        #expect(mock.requests.map { $0.headers["Cookie"] } == [nil, "a=1", nil])
    }

    // MARK: Secure cookies

    @Test(arguments: [
        ("a=2; Path=/x", "http://example.com/", false), ("a=2; Path=/x/y", "http://example.com/", false),
        ("a=2; Domain=example.com", "http://b.example.com/x/y", false), ("a=2; Path=/", "http://example.com/", true),
        ("b=2; Path=/x", "http://example.com/", true),
        ("a=2; Path=/x; Domain=example.com", "https://example.com/", true),
        ("a=2; Path=/x", "http://other.com/", true), ("a=; Path=/x; Max-Age=0", "http://example.com/", false),
        ("a=2; Path=/x", "http://sub.example.com/", false), ("a=2", "http://example.com/x", true),
    ])
    func insecureServerCannotHideSecureCookies(_ field: String, _ url: String, isStored: Bool) throws {
        store("a=1; Secure; Path=/x; Domain=example.com", from: "https://example.com/x")
        let decision = jar.decisions(about: [field], from: try #require(URL(string: url)), at: now).first
        #expect((decision != .ignore(.secureExists)) == isStored)
        #expect(jar.cookies.contains { $0.pair == "a=1" } != url.hasPrefix("https:"))
    }

    /// A domain of many sites is one above all of them.
    @Test(arguments: [
        ("https://example.com/", "Domain=example.com"), ("https://c.a.b.example.com/", "Domain=a.b.example.com"),
        ("https://a.b.example.com/", "Path=/"), ("https://example.com/", "Path=/"),
    ])
    func insecureServerMayHideSecureCookiesOnceTheyAreGone(_ url: String, _ attribute: String) throws {
        let jar = CookieJar(publicSuffixes: .list("com\nb.example.com"))
        let server = try #require(URL(string: url))
        jar.store(["a=1; Secure; \(attribute)"], from: server, at: now)
        #expect(jar.cookies.count == 1)
        let insecure = try #require(URL(string: "http://example.com/"))
        func decision() -> CookieDecision? {
            jar.decisions(about: ["a=2; Domain=example.com"], from: insecure, at: now).first
        }
        #expect(decision() == .ignore(.secureExists))
        jar.store(["a=1; Max-Age=0; \(attribute)"], from: server, at: now)
        #expect(decision() != .ignore(.secureExists))
        jar.store(["a=1; Secure; \(attribute)", "b=1; Max-Age=9"], from: server, at: now)
        #expect(decision() == .ignore(.secureExists))
        jar.removeSessionCookies()
        #expect(decision() != .ignore(.secureExists))
    }

    // MARK: Limits

    private func limited(perSite: Int, total: Int) -> CookieJar {
        CookieJar(suffixes: .list("com"), limits: CookieTable.Limits(perSite: perSite, total: total))
    }

    private func names(_ jar: CookieJar, after seconds: Double = 0) -> String {
        jar.state.withLock { $0.table.entries }.map(\.cookie.name).joined()
    }

    @Test func fullDomainEvictsExpiredThenInsecureThenOldestCookies() throws {
        let jar = limited(perSite: 3, total: 100)
        let url = try #require(URL(string: "https://example.com/"))
        func add(_ field: String, at seconds: Double) {
            jar.store([field], from: url, at: now.addingTimeInterval(seconds))
        }
        add("a=1; Secure", at: 0)
        add("b=1; Secure; Max-Age=5", at: 1)
        add("c=1", at: 2)
        add("d=1", at: 6)
        #expect(names(jar) == "acd")
        add("e=1; Secure", at: 7)
        #expect(names(jar) == "ade")
        add("f=1; Secure", at: 8)
        #expect(names(jar) == "aef")
        add("g=1; Secure", at: 9)
        #expect(names(jar) == "efg")
    }

    @Test func leastRecentlySentCookieIsEvicted() throws {
        let jar = limited(perSite: 2, total: 100)
        let url = try #require(URL(string: "https://example.com/"))
        jar.store(["a=1", "b=1; Path=/b"], from: url, at: now)
        #expect(jar.cookieHeader(for: url, at: now.addingTimeInterval(5)) == "a=1")
        jar.store(["c=1"], from: url, at: now.addingTimeInterval(6))
        #expect(names(jar) == "ac")
    }

    @Test func fullJarEvictsTheOldestCookieOfAll() throws {
        let jar = limited(perSite: 2, total: 3)
        for (place, host) in ["a", "b", "c", "d"].enumerated() {
            let url = try #require(URL(string: "https://\(host).com/"))
            jar.store(["\(host)=1; Secure"], from: url, at: now.addingTimeInterval(Double(place)))
        }
        #expect(names(jar) == "bcd")
    }

    @Test func insecureCookieIsEvictedBeforeASecureOne() throws {
        let jar = limited(perSite: 2, total: 3)
        let bank = try #require(URL(string: "https://bank.com/"))
        jar.store(["s=1; Secure"], from: bank, at: now)
        for (place, host) in ["a", "b", "c", "d"].enumerated() {
            let url = try #require(URL(string: "http://\(host).com/"))
            jar.store(["\(host)=1"], from: url, at: now.addingTimeInterval(Double(place + 1)))
        }
        #expect(names(jar) == "scd")
    }

    /// Anyone can give a domain of his own as many hosts as he likes.
    @Test func hostsOfOneSiteShareItsLimit() throws {
        let bank = try #require(URL(string: "https://bank.co.uk/"))
        jar.store(["s=1; Secure"], from: bank, at: now)
        for host in 0..<18 {
            let url = try #require(URL(string: "http://h\(host).evil.co.uk/"))
            jar.store((0..<180).map { "c\($0)=1" }, from: url, at: now.addingTimeInterval(1))
        }
        #expect(jar.cookies.count == 181)
        #expect(jar.cookies(for: bank).map(\.name) == ["s"])
    }

    @Test(arguments: ["Domain=co.uk.", "Domain=.co.uk.", "Domain=uk."])
    func publicSuffixWithADotAtItsEndIsRefused(_ attribute: String) throws {
        let url = try #require(URL(string: "https://a.co.uk./"))
        jar.store(["a=1; \(attribute)"], from: url, at: now)
        #expect(jar.cookies(for: try #require(URL(string: "https://b.co.uk./"))).isEmpty)
    }

    @Test func jarHasItsLimits() throws {
        for host in 0..<20 {
            let url = try #require(URL(string: "https://h\(host).com/"))
            jar.store((0..<200).map { "c\($0)=1" }, from: url, at: now)
        }
        #expect(jar.cookies.count == 3000)
        #expect(jar.cookies(for: try #require(URL(string: "https://h19.com/"))).count == 180)
    }

    // MARK: The application's cookies

    @Test func applicationSetsListsAndRemovesCookies() throws {
        var cookie = Cookie("a", "1", domain: "example.com")
        cookie.isHostOnly = false
        try jar.set(cookie)
        try jar.set(Cookie("b", "2", domain: "a.example.com", path: "/x"))
        #expect(jar.cookies(for: try #require(URL(string: "https://a.example.com/x"))).map(\.pair) == ["b=2", "a=1"])
        #expect(jar.remove(cookie))
        #expect(!jar.remove(cookie))
        #expect(jar.cookies.map(\.name) == ["b"])
        let identity = jar.identity
        jar.removeSessionCookies()
        #expect(jar.cookies.isEmpty)
        #expect(jar.identity == identity)
        jar.removeAll()
        #expect(jar.identity != identity)
    }

    @Test func longLifeIsCapped() throws {
        var cookie = Cookie("a", "1", domain: "example.com")
        cookie.expires = .distantFuture
        try jar.set(cookie)
        let expires = try #require(jar.cookies.first?.expires)
        #expect(expires.timeIntervalSinceNow <= 400 * 86_400)
    }

    static let refused: [(String, String, String, String, CookieDecision.Reason)] = [
        ("", "", "example.com", "/", .malformed), ("a;", "b", "example.com", "/", .malformed),
        ("a=", "b", "example.com", "/", .malformed), ("a", "b\n", "example.com", "/", .malformed),
        ("a", " b", "example.com", "/", .malformed), ("", "a=b", "example.com", "/", .malformed),
        ("a", String(repeating: "b", count: 4096), "example.com", "/", .malformed),
        ("a", "b", "Example.com", "/", .badDomain), ("a", "b", ".example.com", "/", .badDomain),
        ("a", "b", "exämple.com", "/", .badDomain), ("a", "b", "", "/", .badDomain),
        ("a", "b", "example.com/x", "/", .badDomain), ("a", "b", "u@example.com", "/", .badDomain),
        ("a", "b", "com", "/", .publicSuffix), ("a", "b", "127.0.0.1", "/", .publicSuffix),
        ("a", "b", "example.com", "x", .badPath), ("a", "b", "example.com", "/;", .badPath),
        ("__Secure-a", "b", "example.com", "/", .securePrefix), ("__Host-a", "b", "example.com", "/", .hostPrefix),
        ("", "__Host-a", "example.com", "/", .hiddenPrefix),
    ]

    @Test(arguments: refused)
    func impossibleCookieIsRefused(
        _ name: String, _ value: String, _ domain: String, _ path: String, _ reason: CookieDecision.Reason
    ) {
        var cookie = Cookie(name, value, domain: domain, path: path)
        cookie.isHostOnly = false
        let error = #expect(throws: CookieJarError.self) { try jar.set(cookie) }
        #expect(error?.message.hasSuffix(reason.rawValue) == true)
        #expect(jar.cookies.isEmpty)
    }

    // MARK: Descriptions

    @Test func descriptionsShowNoValues() throws {
        store("sid=secret-word; Secure; HttpOnly; SameSite=Lax; Path=/x", "secret-word-2=on; Domain=example.com")
        var texts = ["\(jar)", "\(Cookies.jar(jar))", String(reflecting: jar)]
        dump(jar, to: &texts[0])
        for cookie in jar.cookies {
            texts += ["\(cookie)", String(reflecting: cookie)]
            dump(cookie, to: &texts[0])
        }
        dump(Client { $0.cookies = .jar(jar) }, to: &texts[1])
        #expect(!texts.contains { $0.contains("secret-word;") || $0.contains("=secret") || $0.contains(jar.identity) })
        #expect(texts.contains("sid for a.example.com/x, secure, HTTP only, SameSite=Lax, session"))
        #expect(texts.contains("CookieJar, 2 cookies of 2 domains"))
        #expect("\(Cookies.off)" == "off")
    }

    // MARK: Fields

    @Test(arguments: [
        (["a=1"], "b=2", "a=1; b=2"), (["a=1"], "a=2", "a=1"), (["a=1"], "a=2; A=3", "a=1; A=3"),
        (["a=1", "b=2"], "c=3", "a=1; b=2; c=3"), (["a=1; b=2 ;"], "b=3; on", "a=1; b=2; on"), ([""], "a=1", "a=1"),
        (["on"], "on; a=1", "on; a=1"), (["a=1; b=2"], "a=1; b=2", "a=1; b=2"),
    ])
    func ownCookiesOfARequestCountBeforeThoseOfTheJar(_ own: [String], _ added: String, _ merged: String) {
        #expect(CookieField.merged(own: own, added) == merged)
        #expect(CookieField.merged(own: [merged], added) == merged)
    }
}

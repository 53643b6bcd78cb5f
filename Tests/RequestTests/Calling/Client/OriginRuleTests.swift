import Foundation
import LoopbackServer
import TangoAuth
import TangoCache
import TangoCookies
import TangoPromise
import Testing

@testable import TangoRequest
@testable import TestSupport

/// The servers that receive the credentials of a client.
@Suite(.timeLimit(.minutes(20))) struct OriginRuleTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let base: String?
        var trusted: [String] = []
        let url: String
        let isAllowed: Bool

        init(_ base: String?, _ url: String, _ isAllowed: Bool, trusted: [String] = []) {
            self.base = base
            self.trusted = trusted
            self.url = url
            self.isAllowed = isAllowed
        }

        var testDescription: String { "\(base ?? "none") \(trusted) \(url) \(isAllowed)" }
    }

    static let api = "https://api.example.com"

    @Test(arguments: [
        // The origin of the base URL. Path, query, fragment and user do not matter.
        Row(api, "https://api.example.com", true),
        Row(api, "https://api.example.com/users?x=1#y", true),
        Row("https://api.example.com/v1/", "https://api.example.com/other", true),
        Row("https://ada:pass@api.example.com", "https://api.example.com/", true),
        Row(api, "https://ada:pass@api.example.com/", true),
        // Scheme and host ignore case, and the default port may be omitted.
        Row(api, "HTTPS://API.Example.COM/", true),
        Row("HTTPS://API.EXAMPLE.COM", "https://api.example.com/", true),
        Row(api, "https://api.example.com:443/", true),
        Row(api, "https://api.example.com:/", true),
        Row("https://api.example.com:443", "https://api.example.com/", true),
        Row("http://api.example.com", "http://api.example.com:80/", true),
        Row("http://localhost:8080", "http://localhost:8080/a", true),
        Row("https://[::1]:8443", "https://[::1]:8443/a", true),
        Row("https://[2001:DB8::1]", "https://[2001:db8::1]/a", true),
        // Another scheme, host or port is another origin.
        Row(api, "http://api.example.com/", false),
        Row("http://api.example.com", "https://api.example.com/", false),
        Row("http://localhost:8080", "https://localhost:8080/", false),
        Row("https://api.example.com:80", "http://api.example.com:80/", false),
        Row(api, "https://api.example.com:8443/", false),
        Row(api, "https://api.example.com:80/", false),
        Row("http://localhost:8080", "http://localhost/", false),
        Row(api, "https://example.com/", false),
        Row(api, "https://www.api.example.com/", false),
        Row(api, "https://api.example.com.evil.example/", false),
        Row(api, "https://api.example.org/", false),
        Row("https://localhost", "https://127.0.0.1/", false),
        Row("https://127.0.0.1", "https://127.1/", false),
        Row("https://[::1]", "https://[0:0:0:0:0:0:0:1]/", false),
        // As in browsers, a host with a trailing dot is another host.
        Row(api, "https://api.example.com./", false),
        // URLs that only resemble the host.
        Row(api, "https://api.example.com@evil.example/", false),
        Row(api, "https://api.example.com:443@evil.example/", false),
        Row(api, "https://evil.example/https://api.example.com/", false),
        Row(api, "https://evil.example?https://api.example.com/", false),
        Row(api, "https://evil.example#@api.example.com/", false),
        Row(api, "https://api.example.com%2F@evil.example/", false),
        Row(api, "https://%61pi.example.com/", false),
        Row(api, "https://api%2Eexample.com/", false),
        Row(api, "https://api.example.com%00.evil.example/", false),
        Row(api, "https://api.example.com:0/", false),
        Row(api, "https://api.example.com:65979/", false),  // 443 + 65,536
        Row(api, "ftp://api.example.com/", false),
        Row(api, "file:///api.example.com/", false),
        Row(api, "//api.example.com/", false),
        Row(api, "/users", false),
        // Trusted origins.
        Row(api, "https://cdn.example.com/a", true, trusted: ["https://cdn.example.com"]),
        Row(api, "https://api.example.com/a", true, trusted: ["https://cdn.example.com"]),
        Row(
            api, "https://cdn.example.com/a", true, trusted: ["https://other.example", "HTTPS://CDN.example.com:443/"]),
        Row(api, "https://cdn.example.com:8443/a", false, trusted: ["https://cdn.example.com"]),
        Row(api, "http://cdn.example.com/a", false, trusted: ["https://cdn.example.com"]),
        Row(api, "http://localhost:8080/a", true, trusted: ["http://localhost:8080"]),
        Row(nil, "https://cdn.example.com/a", true, trusted: ["https://cdn.example.com"]),
        Row(nil, "https://api.example.com/a", false, trusted: ["https://cdn.example.com"]),
        // Without a base URL and trusted origins, no server receives credentials.
        Row(nil, "https://api.example.com/", false),
    ])
    func credentialsGoToTheOriginsOfTheClient(row: Row) throws {
        let rule = OriginRule(baseURL: row.base.flatMap { URL(string: $0) }, trustedOrigins: row.trusted)
        #expect(rule.problem == nil)
        // A URL that Foundation cannot parse cannot be requested either.
        guard let url = URL(string: row.url) else { return #expect(!row.isAllowed) }
        #expect(rule.allowsCredentials(for: url) == row.isAllowed)
    }

    @Test(arguments: [
        ("cdn.example.com", "has no scheme"), ("", "has no scheme"), ("//cdn.example.com", "has no scheme"),
        ("https:cdn.example.com", "has no scheme"), ("localhost:8080", "has no scheme"),
        ("https://cdn.example.com/path", "more than an origin"), ("https://cdn.example.com?x", "more than an origin"),
        ("https://cdn.example.com#x", "more than an origin"),
        ("https://ada:hunter2@cdn.example.com", "more than an origin"),
        ("ftp://cdn.example.com", "not an origin of HTTP"), ("https://", "not an origin of HTTP"),
        ("https://*.example.com", "not an origin of HTTP"), ("https://cdn.example.com:0", "not an origin of HTTP"),
        ("https://cdn.example.com:x", "not an origin of HTTP"), ("https://cdn.exämple.com", "not an origin of HTTP"),
        ("https://cdn.example.com\r\n", "not an origin of HTTP"),
    ])
    func malformedTrustedOriginFailsEveryRequest(_ text: String, _ words: String) async throws {
        let site = try Site()
        let client = Client(baseURL: site.server.url) {
            $0.trustedOrigins = ["https://fine.example.com", text]
        }
        for promise in [client.get("/a", as: String.self), client.get("https://fine.example.com", as: String.self)] {
            let error = try #require(await refusal(of: promise))
            #expect(error.code == .badURL)
            #expect(error.phase == .prepare)
            #expect(error.detail.contains("trustedOrigins"))
            #expect(error.detail.contains(words))
            #expect(!error.detail.contains("hunter2"))
        }
        #expect(site.server.requests.isEmpty)
    }

    #if DEBUG
        @Test(
            arguments: [
                (
                    nil, [], ["Authorization": "hunter2", "X-Api-Key": "hunter2", "Accept": "a/b"],
                    "Authorization, X-Api-Key"
                ),
                (nil, [], ["Accept": "a/b"], nil), (nil, [], [:], nil),
                (api, [], ["Authorization": "hunter2"], nil), (nil, [api], ["Authorization": "hunter2"], nil),
                // Every request fails, so nothing is reported.
                (nil, ["example.com"], ["Authorization": "hunter2"], nil),
            ] as [(String?, [String], Headers, String?)])
        func clientWithUnusedCredentialsIsReported(
            base: String?, trusted: [String], headers: Headers, names: String?
        ) {
            let rule = OriginRule(baseURL: base.flatMap { URL(string: $0) }, trustedOrigins: trusted)
            let mistake = CredentialReports.mistake(in: headers, of: rule)
            #expect(
                mistake.map { $0.hasPrefix("a client has \(names ?? "") among its headers") } == names.map { _ in true }
            )
            #expect(mistake?.contains("hunter2") != true)
        }

        @Test(
            arguments: [
                (api, ["Cookie": "hunter2"], "https://other.example/?token=hunter2", "Cookie"),
                (api, ["Accept": "a/b"], "https://other.example/", nil), (api, ["Cookie": "hunter2"], "\(api)/a", nil),
                (nil, ["Cookie": "hunter2"], "https://other.example/", nil),
            ] as [(String?, Headers, String, String?)])
        func requestThatSendsCredentialsToAnotherOriginIsReported(
            base: String?, headers: Headers, url: String, names: String?
        ) throws {
            let rule = OriginRule(baseURL: base.flatMap { URL(string: $0) }, trustedOrigins: [])
            let url = try #require(URL(string: url))
            let mistake = CredentialReports.mistake(in: headers, of: GetLink.self, to: url, rule)
            #expect(
                mistake.map { $0.hasPrefix("GetLink.headers sends \(names ?? "") to https://other.example/?token=…,") }
                    == names.map { _ in true })
            #expect(mistake?.contains("hunter2") != true)
        }

        final class GetLink: Request<String> {}
    #endif

    // MARK: Sent headers

    /// The server of the base URL. The other server has another port, so it is another origin.
    let home: Site
    let elsewhere: Site

    static let secrets: Headers = [
        "Authorization": "Bearer a", "Cookie": "sid=b", "X-Api-Key": "c", "Proxy-Authorization": "Basic d",
        "X-Auth-Token": "e",
    ]
    static let plain: Headers = ["Accept": "text/plain", "X-Tenant": "main"]

    init() throws {
        home = try Site()
        elsewhere = try Site()
        for site in [home, elsewhere] { site.server.answer("/*", with: .text("x")) }
    }

    private var allHeaders: Headers { Headers(Array(Self.secrets) + Array(Self.plain)) }

    private func names(_ site: Site) throws -> Set<String> {
        let all = Set((Array(Self.secrets) + Array(Self.plain)).map(\.name))
        let request = try #require(site.server.requests.last)
        return all.filter { request.headers[$0] != nil }
    }

    @Test func absoluteURLOfAnotherOriginIsSentWithoutCredentials() async throws {
        let client = Client(baseURL: home.server.url) { $0.headers = allHeaders }
        _ = try await client.get(elsewhere.server.url("/link").absoluteString, as: String.self).value
        #expect(try names(elsewhere) == Set(Self.plain.map(\.name)))
    }

    @Test(arguments: ["/a", "a", "?x=1", ""])
    func pathsBelowTheBaseAreSentWithAllHeaders(path: String) async throws {
        let client = Client(baseURL: home.server.url) { $0.headers = allHeaders }
        _ = try await client.get(path, as: String.self).value
        #expect(try names(home) == Set(allHeaders.map(\.name)))
    }

    @Test func absoluteURLOfTheOwnOriginIsSentWithAllHeaders() async throws {
        let client = Client(baseURL: home.server.url("/v1")) { $0.headers = allHeaders }
        _ = try await client.get(home.server.url("/other").absoluteString, as: String.self).value
        #expect(try names(home) == Set(allHeaders.map(\.name)))
    }

    @Test func trustedOriginReceivesAllHeaders() async throws {
        let client = Client(baseURL: home.server.url) {
            $0.headers = allHeaders
            $0.trustedOrigins = [elsewhere.server.url.absoluteString]
        }
        _ = try await client.get(elsewhere.server.url("/link").absoluteString, as: String.self).value
        #expect(try names(elsewhere) == Set(allHeaders.map(\.name)))
    }

    @Test func aClientWithoutABaseURLSendsCredentialsToTrustedOriginsOnly() async throws {
        let client = Client {
            $0.headers = allHeaders
            $0.trustedOrigins = [home.server.url.absoluteString]
        }
        for site in [home, elsewhere] {
            _ = try await client.get(site.server.url("/a").absoluteString, as: String.self).value
        }
        #expect(try names(home) == Set(allHeaders.map(\.name)))
        #expect(try names(elsewhere) == Set(Self.plain.map(\.name)))
    }

    @Test func headersOfRequestAndEndpointAreSentToAnyOrigin() async throws {
        let client = Client(baseURL: home.server.url) {
            $0.headers = ["Authorization": "of client", "Cookie": "of client"]
        }
        let url = elsewhere.server.url("/link").absoluteString
        let request = Fetch<String>(.get(url, headers: ["Authorization": "of endpoint"]), of: client)
        request.fields = ["X-Api-Key": "of request"]
        _ = try await request.promise.value
        let sent = try #require(elsewhere.server.requests.last)
        #expect(sent.headers["Authorization"] == "of endpoint")
        #expect(sent.headers["X-Api-Key"] == "of request")
        #expect(sent.headers["Cookie"] == nil)
    }

    @Test func messagesAreSentWithoutTheHeadersOfTheClient() async throws {
        let client = Client(baseURL: home.server.url) { $0.headers = ["Cookie": "of client"] }
        _ = try await client.send(
            HTTPRequest(url: elsewhere.server.url("/link"), headers: ["Authorization": "of message"]))
        let sent = try #require(elsewhere.server.requests.last)
        #expect(sent.headers["Authorization"] == "of message")
        #expect(sent.headers["Cookie"] == nil)
    }

    /// Joined and observed calls take other paths through the client.
    @Test(arguments: [Uniqueness.allow, .join, .reject], [false, true])
    func everyPathFollowsTheOriginRule(uniqueness: Uniqueness, isObserved: Bool) async throws {
        let client = Client(baseURL: home.server.url, cache: MemoryStore()) {
            $0.headers = allHeaders
            $0.uniqueness = uniqueness
            $0.observers = isObserved ? [Facts().observer()] : []
        }
        _ = try await client.get(elsewhere.server.url("/link").absoluteString, as: String.self).value
        #expect(try names(elsewhere) == Set(Self.plain.map(\.name)))
    }

    @Test func interceptorMayCheckTheOriginRule() async throws {
        struct Bearer: Interceptor {
            let token: String
            func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
                guard context.allowsCredentials(for: request.url) else { return try await next(request) }
                var request = request
                request.headers["Authorization"] = "Bearer \(token)"
                return try await next(request)
            }
        }
        let client = Client(baseURL: home.server.url) { $0.interceptors = [Bearer(token: "a")] }
        for site in [home, elsewhere] {
            _ = try await client.get(site.server.url("/a").absoluteString, as: String.self).value
        }
        #expect(home.server.requests.last?.headers["Authorization"] == "Bearer a")
        #expect(elsewhere.server.requests.last?.headers["Authorization"] == nil)
    }
}

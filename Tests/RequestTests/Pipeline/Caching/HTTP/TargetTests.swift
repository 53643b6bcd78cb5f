import Foundation
import LoopbackServer
import TangoCache
import Testing

@testable import TangoHTTP
@testable import TangoRequest
@testable import TestSupport

/// The target of a request and the key of its response, which identify the same resource.
@Suite(.timeLimit(.minutes(20)))
struct TargetTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.answer("/*") { request in
            .text("\(request.target) of \(request.headers["Host"] ?? "")").header("Cache-Control", "max-age=86400")
        }
    }

    static let policies: [CachePolicy] = [.http, .cacheElseNetwork]

    private func client(_ policy: CachePolicy) -> Client {
        Client(baseURL: server.url, cache: MemoryStore()) { $0.cachePolicy = policy }
    }

    private func text(_ client: Client, _ path: String, _ headers: Headers = [:]) async throws -> String {
        defer { withExtendedLifetime(client) {} }
        let response: HTTPResponse = try await client.request(.get(path, headers: headers)).value
        await client.finishStoring()
        return String(decoding: response.body.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)
    }

    // MARK: Dot segments

    @Test(
        arguments: policies,
        [
            "/files/../me", "/files/./me", "/../me", "/..", "files/..", "/files/%2e%2E/me", "/files/.%2e/me",
            "/files/%2E/me",
        ])
    func pathThatLeavesItsFolderIsRejected(_ policy: CachePolicy, _ path: String) async throws {
        let client = client(policy)
        let error = await refusal { try await text(client, path) }
        #expect(error?.code == .badURL)
        #expect(error?.detail.contains("folder") == true)
        #expect(server.requestCount == 0)
        #expect(try await text(client, "/me") == "/me")
    }

    @Test(
        arguments: policies,
        [
            ("/files/../me", "/me"), ("/a/./b/../c", "/a/c"), ("/..", "/"), ("/a//b", "/a//b"), ("/a/...", "/a/..."),
            ("/a/b/..", "/a/"), ("/a?x=/../b", "/a?x=/../b"),
        ])
    func absoluteURLIsResolvedBeforeItIsSent(_ policy: CachePolicy, _ row: (path: String, sent: String)) async throws {
        let client = client(policy)
        let url = server.url.absoluteString.trimmingSuffix("/")
        #expect(try await text(client, url + row.path) == row.sent)
        #expect(try await text(client, url + row.sent) == row.sent)
        #expect(server.requestCount == 1)
    }

    /// A message does not share its response with other spellings of its URL.
    @Test(
        arguments: policies,
        ["/files/../me", "/files/./me", "/files/%2e%2e/me", "/files/%2E./me", "//me", "/me/", "/me%2F..%2Fyou"])
    func messageIsSentAndCachedUnchanged(_ policy: CachePolicy, _ path: String) async throws {
        let client = Client(cache: MemoryStore()) { $0.cachePolicy = policy }
        let root = server.url.absoluteString.trimmingSuffix("/")
        for (path, count) in [(path, 1), ("/me", 2), (path, 2), ("/me", 2)] {
            let url = try #require(URL(string: root + path))
            let response = try await client.send(HTTPRequest(url: url))
            #expect(String(decoding: response.body, as: UTF8.self).hasPrefix("\(path) of"))
            #expect(server.requestCount == count)
            await client.finishStoring()
        }
    }

    // MARK: Host

    @Test(arguments: policies)
    func hostHeaderIsPartOfTheTarget(_ policy: CachePolicy) async throws {
        let client = client(policy)
        for host in ["one.example", "two.example", "ONE.example"] {
            let response: HTTPResponse = try await client.request(.get("/a", headers: ["Host": host])).value
            await client.finishStoring()
            #expect(String(decoding: response.body, as: UTF8.self).lowercased() == "/a of \(host.lowercased())")
        }
        #expect(server.requestCount == 2)
    }

    @Test(arguments: policies)
    func hostHeaderEqualToTheURLMakesNoDifference(_ policy: CachePolicy) async throws {
        let client = client(policy)
        let host = try #require(server.url.host())
        let port = try #require(server.url.port)
        _ = try await text(client, "/a")
        _ = try await text(client, "/a", ["host": "\(host):\(port)"])
        #expect(server.requestCount == 1)
    }

    @Test(arguments: policies, [true, false])
    func hostHeaderOfAnInterceptorIsPartOfTheTarget(_ policy: CachePolicy, _ isAttempt: Bool) async throws {
        let hosts = Noted<String>()
        struct Choosing: Interceptor {
            let hosts: Noted<String>
            func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
                var request = request
                request.headers["Host"] = hosts.all.last
                return try await next(request)
            }
        }
        let client = Client(baseURL: server.url, cache: MemoryStore()) {
            $0.cachePolicy = policy
            $0.interceptors = isAttempt ? [] : [Choosing(hosts: hosts)]
            $0.attemptInterceptors = isAttempt ? [Choosing(hosts: hosts)] : []
        }
        for host in ["one.example", "two.example"] {
            hosts.note(host)
            let response: HTTPResponse = try await client.request(.get("/a")).value
            #expect(String(decoding: response.body, as: UTF8.self) == "/a of \(host)")
            await client.finishStoring()
        }
    }

    /// A server may serve several tenants by their hosts.
    @Test func changeAppliesOnlyToItsHost() async throws {
        let client = client(.http)
        server.answer("/a", method: "PUT", with: .status(204))
        for host in ["one.example", "two.example"] { _ = try await text(client, "/a", ["Host": host]) }
        let _: HTTPResponse = try await client.request(
            Endpoint(method: .put, path: "/a", headers: ["Host": "one.example"])
        ).value
        for host in ["one.example", "two.example"] { _ = try await text(client, "/a", ["Host": host]) }
        #expect(
            server.requests.filter { $0.method == "GET" }.map { $0.headers["Host"] ?? "" }.sorted()
                == ["one.example", "one.example", "two.example"])
    }

    @Test(
        arguments: [
            ("example.com", "http://example.com/", nil), ("EXAMPLE.com:80", "http://example.com/", nil),
            ("example.com", "http://example.com:80/", nil), ("example.com:443", "https://example.com/a", nil),
            ("example.com:", "http://example.com/", nil), ("example.com:8080", "http://example.com:8080/", nil),
            ("example.com:443", "http://example.com/", "example.com:443"),
            ("example.com", "http://example.com:8080/", "example.com"), ("other", "http://example.com/", "other"),
        ] as [(String, String, String?)])
    func defaultPortInAHostHeaderMakesNoDifference(_ host: String, _ url: String, _ explicit: String?) {
        #expect(TargetHost.explicit(in: ["Host": host], url: url) == explicit)
    }

    // MARK: Bytes

    /// Texts that look the same may differ: an accented letter is one scalar, or two.
    @Test(arguments: policies)
    func headersWithDifferentBytesAreDifferentVariants(_ policy: CachePolicy) async throws {
        let client = client(policy)
        server.answer("/words") { request in
            .text("\(Array((request.headers["X-Word"] ?? "").utf8))").header("Cache-Control", "max-age=86400")
                .header("Vary", "X-Word")
        }
        for word in ["\u{e9}", "e\u{301}", "\u{e9}"] {
            let response: HTTPResponse = try await client.request(.get("/words", headers: ["X-Word": word])).value
            await client.finishStoring()
            #expect(String(decoding: response.body, as: UTF8.self) == "\(Array(word.utf8))")
        }
    }

    @Test func entityTagsWithDifferentBytesAreDifferent() {
        let (one, two) = (EntityTag("\"\u{e9}\""), EntityTag("\"e\u{301}\""))
        #expect(one != two)
        #expect(one?.isStronglyEqual(to: two!) == false)
        #expect(one?.isWeaklyEqual(to: two!) == false)
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}

import Foundation
import LoopbackServer
import Synchronization
import TangoAuth
import TangoCache
import TangoCookies
import TangoPromise
import Testing

@testable import TangoRequest
@testable import TestSupport

/// Redirects as servers see them.
@Suite(.timeLimit(.minutes(20)))
struct RedirectTests {
    private let site: Site
    private let other: Site

    init() throws {
        site = try Site()
        other = try Site()
    }

    private func client(
        cache: (any CacheStore)? = nil, _ change: (inout Client.Configuration) -> Void = { _ in }
    ) -> Client {
        Client(baseURL: site.server.url, cache: cache) {
            $0.timeouts = .patient
            change(&$0)
        }
    }

    private func text(_ path: String, _ client: Client) -> Fetch<String> { Fetch(.get(path), of: client) }

    // MARK: Chains

    @Test func chainIsFollowedAndRecorded() async throws {
        site.server.answer("/a", with: .redirect(to: "/b", status: 301))
        site.server.answer("/b", with: .redirect(to: "c?x=1", status: 307))
        site.server.answer("/c", with: .text("here"))
        let call = text("/a#part", client()).start()
        #expect(try await call.value == "here")
        let response = try #require(call.response)
        #expect(response.request?.url.absoluteString == site.server.url("/c?x=1").absoluteString + "#part")
        #expect(response.url == response.request?.url)
        #expect(response.redirects.map(\.status) == [301, 307])
        #expect(response.redirects.map { $0.request?.url.path } == ["/a", "/b"])
        #expect(call.attempts.map(\.cause) == [.first, .redirect, .redirect])
        #expect(site.server.requests.map(\.path) == ["/a", "/b", "/c"])
        #expect(site.server.connections.accepted == 1)
    }

    @Test func responseWithoutRedirectsHasNone() async throws {
        site.server.answer("/a", with: .text("a"))
        let call = text("/a", client()).start()
        _ = try await call.value
        #expect(call.response?.redirects.isEmpty == true)
    }

    @Test(arguments: [true, false])
    func bodyIsSentAgain(isFile: Bool) async throws {
        let files = ScratchFiles()
        let body = isFile ? Body.file(try files.file("body", Data("hello".utf8))) : .string("hello")
        site.server.answer("/a", with: .redirect(to: "/b", status: 307))
        site.server.answer("/b", with: .text("ok"))
        #expect(try await Fetch<String>(.put("/a", body: body), of: client()).promise.value == "ok")
        #expect(site.server.requests.map(\.method) == ["PUT", "PUT"])
        #expect(site.server.requests.map(\.body) == [Data("hello".utf8), Data("hello".utf8)])
    }

    @Test func postBecomesGet() async throws {
        site.server.answer("/a", with: .redirect(to: "/b", status: 303))
        site.server.answer("/b", with: .text("ok"))
        #expect(try await Fetch<String>(.post("/a", body: .string("hello")), of: client()).promise.value == "ok")
        let last = try #require(site.server.requests.last)
        #expect(last.method == "GET")
        #expect(last.body.isEmpty)
        #expect(last.headers["Content-Type"] == nil)
        #expect(last.headers["Content-Length"] == nil)
    }

    @Test func streamThatCanBeReadOnceIsNotSentAgain() async throws {
        site.server.answer("/a", with: .redirect(to: "/b", status: 307))
        let stream = AsyncStream<Data> { continuation in
            continuation.yield(Data("x".utf8))
            continuation.finish()
        }
        let error = try #require(
            await refusal(of: Fetch<String>(.put("/a", body: .stream(stream)), of: client()).promise))
        #expect(error.code == .badStatus)
        #expect(error.response?.headers["Location"] == "/b")
        #expect(site.server.requests.count == 1)
    }

    // MARK: Origins

    @Test func redactedHeadersGoToTheOriginsOfTheClientOnly() async throws {
        let other = try Site()
        other.server.answer(with: .text("other"))
        site.server.answer("/a", with: .redirect(to: other.server.url("/b").absoluteString))
        let client = Client(baseURL: site.server.url) {
            $0.headers = ["X-Tenant": "7", "X-Page": "1"]
            $0.redaction.add(headers: ["X-Tenant"])
        }
        _ = try await Fetch<String>(.get("/a"), of: client).promise.value
        _ = try await Fetch<String>(.get(other.server.url("/c").absoluteString), of: client).promise.value
        #expect(site.server.requests.map { $0.headers["X-Tenant"] } == ["7"])
        #expect(other.server.requests.map { $0.headers["X-Tenant"] } == [nil, nil])
        #expect(other.server.requests.map { $0.headers["X-Page"] } == ["1", "1"])
    }

    @Test(arguments: [false, true])
    func credentialsCrossOnlyToTrustedOrigins(isTrusted: Bool) async throws {
        let target = other.server.url("/b").absoluteString
        site.server.answer("/a", with: .redirect(to: target, status: 307))
        other.server.answer("/b", with: .text("ok"))
        let client = client {
            if isTrusted { $0.trustedOrigins = ["http://127.0.0.1:\(other.server.port)"] }
        }
        let request = text("/a", client)
        request.fields = ["Authorization": "Bearer 1", "Cookie": "a=b", "X-Api-Key": "secret", "X-Page": "1"]
        #expect(try await request.promise.value == "ok")
        let (before, after) = (try #require(site.server.requests.last), try #require(other.server.requests.last))
        for name in ["Authorization", "Cookie", "X-Api-Key"] {
            #expect(before.headers[name] != nil)
            #expect((after.headers[name] != nil) == isTrusted, "\(name)")
        }
        #expect(after.headers["X-Page"] == "1")
        #expect(after.headers["Host"] == "127.0.0.1:\(other.server.port)")
    }

    @Test func hostNamesAreOrigins() async throws {
        site.server.answer("/a", with: .redirect(to: "http://localhost:\(site.server.port)/b", status: 307))
        site.server.answer("/b", with: .text("ok"))
        let request = text("/a", client())
        request.fields = ["Authorization": "Bearer 1"]
        #expect(try await request.promise.value == "ok")
        #expect(site.server.requests.map { $0.headers["Authorization"] != nil } == [true, false])
    }

    @Test func credentialsDoNotComeBack() async throws {
        site.server.answer("/a", with: .redirect(to: other.server.url("/b").absoluteString))
        other.server.answer("/b", with: .redirect(to: site.server.url("/c").absoluteString))
        site.server.answer("/c", with: .text("ok"))
        let request = text("/a", client())
        request.fields = ["Authorization": "Bearer 1"]
        #expect(try await request.promise.value == "ok")
        #expect(site.server.requests.map { $0.headers["Authorization"] != nil } == [true, false])
    }

    // MARK: Ends

    @Test func loopEnds() async throws {
        site.server.answer("/a", with: .redirect(to: "/b"))
        site.server.answer("/b", with: .redirect(to: "/a"))
        let call = text("/a", client()).start()
        let error = try #require(await refusal(of: call.promise))
        #expect(error.code == .tooManyRedirects)
        #expect(error.phase == .receive)
        #expect(error.response?.status == 302)
        #expect(!error.isRetryable)
        #expect(site.server.requests.map(\.path) == ["/a", "/b", "/a", "/b"])
    }

    @Test func limitIsThatOfThePolicy() async throws {
        for number in 0..<30 { site.server.answer("/\(number)", with: .redirect(to: "/\(number + 1)")) }
        site.server.answer("/20", with: .text("end"))
        #expect(try await text("/0", client()).promise.value == "end")
        let strict = client { $0.redirectPolicy = .follow(limit: 19) }
        #expect(await refusal(of: text("/0", strict).promise)?.code == .tooManyRedirects)
        let none = client { $0.redirectPolicy = .follow(limit: 0) }
        #expect(await refusal(of: text("/19", none).promise)?.code == .tooManyRedirects)
        let invalid = client { $0.redirectPolicy = .follow(limit: -1) }
        let error = try #require(await refusal(of: text("/19", invalid).promise))
        #expect(error.code == .badPolicy)
        #expect(error.detail.contains("-1"))
    }

    @Test func chainIsCancelled() async throws {
        let gate = Gate()
        defer { gate.open() }
        site.server.answer("/a", with: .redirect(to: "/b"))
        site.server.answer("/b", with: Response.text("b").held(by: gate))
        let call = text("/a", client()).start()
        try await gate.reached()
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        // The transport closes the connection. A response that came before that would let it be reused.
        try await site.server.connections(open: 0)
    }

    @Test func totalTimeIncludesTheChain() async throws {
        let gate = Gate()
        defer { gate.open() }
        let clock = ManualClock()
        site.server.answer("/a", with: .redirect(to: "/b"))
        site.server.answer("/b", with: Response.text("b").held(by: gate))
        let client = client {
            $0.clock = clock
            $0.timeouts.total = .seconds(10)
        }
        let call = text("/a", client).start()
        try await gate.reached()
        clock.advance(by: .seconds(10))
        #expect(await refusal(of: call.promise)?.code == .totalTimedOut)
    }

    // MARK: Policies

    @Test func refusedRedirectIsAValidResponse() async throws {
        site.server.answer("/a", with: Response.redirect(to: "/b"))
        let client = client { $0.redirectPolicy = .refuse }
        let response = try await Fetch<HTTPResponse>(.get("/a"), of: client).promise.value
        #expect(response.status == 302)
        #expect(response.headers["Location"] == "/b")
        // Other failures stay failures.
        #expect(await refusal(of: Fetch<HTTPResponse>(.get("/none"), of: client).promise)?.code == .badStatus)
        #expect(site.server.requests.count == 2)
    }

    @Test func closureSeesEditsAndRefuses() async throws {
        site.server.answer("/a", with: .redirect(to: "/b"))
        site.server.answer("/b", with: .redirect(to: "/c"))
        let seen = Mutex<[String]>([])
        let policy = RedirectPolicy.custom { redirect in
            seen.withLock { $0.append("\(redirect.number) \(redirect.response.status) \(redirect.request.url.path)") }
            guard redirect.number < 2 else { return nil }
            var request = redirect.request
            request.headers["X-Hop"] = "\(redirect.number)"
            return request
        }
        let call = Fetch<HTTPResponse>(.get("/a"), of: client { $0.redirectPolicy = policy }).start()
        let response = try await call.value
        #expect(response.headers["Location"] == "/c")
        #expect(response.redirects.count == 1)
        #expect(seen.withLock { $0 } == ["1 302 /b", "2 302 /c"])
        #expect(site.server.requests.map { $0.headers["X-Hop"] } == [nil, "1"])
    }

    @Test func errorOfTheClosureIsThatOfTheCall() async throws {
        struct Refused: Error {}
        site.server.answer("/a", with: .redirect(to: "/b"))
        let client = client { $0.redirectPolicy = .custom { _ in throw Refused() } }
        await #expect(throws: Refused.self) { try await text("/a", client).promise.value }
    }

    @Test func requestOverridesThePolicyOfItsClient() async throws {
        final class Stay: Fetch<HTTPResponse> {
            override var redirectPolicy: RedirectPolicy { .refuse }
        }
        site.server.answer("/a", with: .redirect(to: "/b"))
        #expect(try await Stay(.get("/a"), of: client()).promise.value.status == 302)
    }

    @Test func rawDoorFollowsTheClient() async throws {
        site.server.answer("/a", with: .redirect(to: "/b"))
        site.server.answer("/b", with: .generated(bytes: 100_000))
        var response = try await client().send(HTTPRequest(url: site.server.url("/a")), delivery: .stream)
        #expect(response.redirects.count == 1)
        try await response.collect(upTo: nil)
        #expect(response.body.count == 100_000)
        let kept = try await client { $0.redirectPolicy = .refuse }.send(HTTPRequest(url: site.server.url("/a")))
        #expect(kept.status == 302)
    }

    // MARK: Connections

    @Test(
        "the connection of a redirect is reused if its body is short, and closed otherwise",
        arguments: [1_000, 5_000_000])
    func connectionIsReusedOrClosed(_ size: Int) async throws {
        site.server.answer("/a", with: Response.generated(bytes: size).status(302).header("Location", "/b"))
        site.server.answer("/b", with: .text("b"))
        let client = client { $0.retryPolicy = .never }
        var response = try await client.send(HTTPRequest(url: site.server.url("/a")), delivery: .stream)
        try await response.collect(upTo: nil)
        #expect(response.body == Data("b".utf8))
        let requests = site.server.requests
        #expect(requests.map(\.path) == ["/a", "/b"])
        #expect((requests.first?.connection == requests.last?.connection) == (size < 10_000))
        if size > 10_000 { try await site.server.connectionEnded(requests.first?.connection ?? 0) }
    }

    // MARK: The cache and the retries

    @Test func redirectIsCached() async throws {
        let redirect = Response.redirect(to: "/b", status: 308).header("Cache-Control", "max-age=600")
        site.server.answer("/a", with: redirect)
        site.server.answer("/b", with: Response.text("b").header("Cache-Control", "max-age=600"))
        let client = client(cache: MemoryStore()) { $0.cachePolicy = .http }
        for _ in 0..<3 {
            let call = text("/a", client).start()
            #expect(try await call.value == "b")
            #expect(call.response?.redirects.count == 1)
            await client.finishStoring()
        }
        #expect(site.server.requests.map(\.path) == ["/a", "/b"])
    }

    @Test func cachedRedirectOfOnePolicyIsFollowedByAnother() async throws {
        let redirect = Response.redirect(to: "/b", status: 308).header("Cache-Control", "max-age=600")
        site.server.answer("/a", with: redirect)
        site.server.answer("/b", with: .text("b"))
        let store = MemoryStore()
        let keeping = client(cache: store) {
            $0.cachePolicy = .http
            $0.redirectPolicy = .refuse
        }
        let following = client(cache: store) { $0.cachePolicy = .http }
        for _ in 0..<2 {
            #expect(try await Fetch<String>(.get("/a"), of: keeping).promise.value == "")
            await keeping.finishStoring()
        }
        #expect(try await text("/a", following).promise.value == "b")
        #expect(site.server.requests.map(\.path) == ["/a", "/b"])
    }

    @Test func valuesFollowCachedRedirects() async throws {
        let redirect = Response.redirect(to: "/b", status: 308).header("Cache-Control", "max-age=0")
        site.server.answer("/a", with: redirect)
        site.server.answer("/b", with: Response.text("b").header("Cache-Control", "max-age=600"))
        let client = client(cache: MemoryStore()) { $0.cachePolicy = .http }
        for _ in 0..<3 {
            var values: [String] = []
            for try await value in text("/a", client).values { values.append(value) }
            #expect(values == ["b"])
            await client.finishStoring()
        }
        #expect(site.server.requests.map(\.path) == ["/a", "/b", "/a", "/a"])
    }

    @Test("calls do not join a transfer from before a change, also one that redirects", arguments: [200, 404])
    func changeThatRedirectsIsAChange(_ status: Int) async throws {
        let gate = Gate()
        site.server.answer("/item", with: Response.text("old").held(by: gate))
        let client = client { $0.uniqueness = .join }
        let before = text("/item", client).start()
        try await gate.reached()
        site.server.answer("/item", with: .text("new"))
        site.server.answer("/item", method: "POST", with: .redirect(to: "/done", status: 303))
        site.server.answer("/done", with: .text("done", status: status))
        _ = try? await Fetch<String>(.post("/item"), of: client).promise.value
        #expect(try await text("/item", client).promise.value == "new")
        gate.open()
        #expect(try await before.value == "old")
    }

    @Test func eachRequestOfAChainIsRetried() async throws {
        site.server.enqueue(.redirect(to: "/b"), .status(503), .text("b"))
        let client = client { $0.retryPolicy = .exponential(base: .zero) }
        let call = text("/a", client).start()
        #expect(try await call.value == "b")
        #expect(call.attempts.map(\.cause) == [.first, .redirect, .retry])
        #expect(site.server.requests.map(\.path) == ["/a", "/b", "/b"])
    }

    @Test func callsShareAChain() async throws {
        let gate = Gate()
        site.server.answer("/a", with: Response.redirect(to: "/b").held(by: gate))
        site.server.answer("/b", with: .text("b"))
        let client = client { $0.uniqueness = .join }
        let calls = (0..<3).map { _ in text("/a", client).start() }
        try await gate.reached()
        gate.open()
        for call in calls {
            #expect(try await call.value == "b")
            #expect(call.response?.redirects.count == 1)
        }
        #expect(site.server.requests.count == 2)
    }
}

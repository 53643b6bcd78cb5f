import Foundation
import LoopbackServer
import TangoCache
import TangoPromise
import TangoTesting
import Testing

@testable import TangoCookies
@testable import TangoRequest
@testable import TestSupport

/// Cookies on all paths of a call, on a real transport.
@Suite(.timeLimit(.minutes(20))) struct CookieStageTests {
    private let site: CacheSite
    private let jar = CookieJar()

    init() throws { site = try CacheSite() }

    private func client(_ configure: (inout Client.Configuration) -> Void = { _ in }) -> Client {
        Client(baseURL: site.server.url, cache: site.store) {
            $0.cookies = .jar(jar)
            $0.clock = site.clock
            $0.retryPolicy = .never
            configure(&$0)
        }
    }

    /// The cookies that the server has received, `-` for none.
    private var received: [String] { site.server.requests.map { $0.headers["Cookie"] ?? "-" } }

    // MARK: Paths

    /// The ways in which a request gets its response.
    enum Path: CaseIterable, Sendable {
        case direct, callbacks, observed, attemptInterceptor, joined, cacheFirst, backgroundRefresh, rawDoor, stream
    }

    private struct Passing: Interceptor {
        func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
            try await next(request)
        }
    }

    @Test(arguments: Path.allCases)
    func eachPathSendsAndStoresCookies(_ path: Path) async throws {
        site.server.answer("/item") { _ in
            .item(1).header("Set-Cookie", "set=\(path)").header(
                "Cache-Control", "max-age=86400, stale-while-revalidate=8640000")
        }
        jar.store(["sent=1"], from: site.server.url, at: Date())
        let client = client {
            if path == .observed || path == .backgroundRefresh { $0.observers = [site.facts.observer()] }
            // Without an identity, responses are cached for the cookies of their requests.
            $0.identity = "user"
            if path == .attemptInterceptor { $0.attemptInterceptors = [Passing()] }
        }
        if path == .cacheFirst || path == .backgroundRefresh {
            _ = try await GetItem(client, .http).promise.value
            await client.finishStoring()
            site.clock.advance(by: .seconds(86_401))
            try jar.set(Cookie("set", "before", domain: "127.0.0.1"))
        }
        switch path {
        case .direct, .observed, .attemptInterceptor: _ = try await GetItem(client, .networkOnly).promise.value
        case .callbacks:
            await withCheckedContinuation { continuation in
                GetItem(client, .networkOnly).start { _, _ in
                    continuation.resume()
                } failure: { _, _ in
                    continuation.resume()
                }
            }
        case .joined:
            let gate = Gate()
            site.server.answer("/item", with: .item(1).header("Set-Cookie", "set=joined").held(by: gate))
            let calls = (0..<2).map { _ in
                let request = Fetch<Item>(.get("/item"), of: client)
                request.kind = .join
                return request.start()
            }
            try await gate.reached()
            gate.open()
            for call in calls { _ = try await call.value }
            #expect(site.count == 1)
        case .cacheFirst: for try await _ in GetItem(client, .http).values {}
        case .backgroundRefresh:
            _ = try await GetItem(client, .http).promise.value
            await site.facts.reached("refreshed 200")
        case .rawDoor:
            _ = try await client.send(HTTPRequest(url: site.server.url("/item")), cachePolicy: .networkOnly)
        case .stream:
            let response = try await client.send(
                HTTPRequest(url: site.server.url("/item")), cachePolicy: .networkOnly, delivery: .stream)
            await response.drain()
        }
        #expect(received.allSatisfy { $0.hasPrefix("sent=1") })
        #expect(jar.cookies.map(\.pair).sorted() == ["sent=1", "set=\(path)"])
    }

    @Test func directExchangeStaysDirectWithoutSetCookie() async throws {
        jar.store(["a=1"], from: site.server.url, at: Date())
        site.server.answer("/item", with: .item(1))
        let client = client()
        let url = site.server.url("/item")
        let plan = HTTPRequest(url: url)
        let stage = CookieStage(.jar(jar), baseURL: site.server.url, time: WallTime(nil, clock: site.clock))
        let recorder = CookieRecorder(stage: stage)
        let call = GetItem(client, .networkOnly).start()
        _ = try await call.value
        #expect(received == ["a=1"])
        let common = call.core.plan
        var prepared = plan
        stage.prepare(&prepared, for: common)
        #expect(prepared.headers["Cookie"] == "a=1")
        func accepts(_ status: HTTPStatus, _ headers: Headers) -> Bool {
            recorder.accepts(.success(HTTPResponse(status: status, headers: headers, request: plan)), of: common)
        }
        #expect(accepts(200, ["Content-Type": "text/plain"]))
        #expect(!accepts(200, ["set-cookie": "a=1"]))
        #expect(!accepts(401, ["Set-Cookie": "a=1"]))
        #expect(accepts(407, ["Set-Cookie": "a=1"]))
        var error = RequestError(.truncated, phase: .receive, detail: "")
        #expect(recorder.accepts(.failure(error), of: common))
        error.response = HTTPResponse(status: 200, headers: ["Set-Cookie": "a=1"], request: plan)
        #expect(!recorder.accepts(.failure(error), of: common))
    }

    @Test func clientsWithoutCookiesStoreNone() async throws {
        site.server.answer("/item", with: .item(1).header("Set-Cookie", "a=1"))
        let client = client { $0.cookies = .off }
        for _ in 0..<2 { _ = try await GetItem(client, .networkOnly).promise.value }
        #expect(received == ["-", "-"])
        #expect(client.configuration.cookies.jar == nil)
        #expect(client.configuration.cookies.identity == nil)
    }

    @Test func derivedClientsShareTheJar() async throws {
        site.server.answer("/item", with: .item(1).header("Set-Cookie", "a=1"))
        let client = client { $0.cookies = .jar }
        _ = try await GetItem(client, .networkOnly).promise.value
        _ = try await GetItem(client.with { $0.timeouts.idle = .seconds(500) }, .networkOnly).promise.value
        #expect(received == ["-", "a=1"])
        #expect(client.configuration.cookies.identity == client.configuration.cookies.jar?.identity)
        #expect(jar.cookies.isEmpty)
    }

    // MARK: Redirects and retries

    @Test(arguments: [301, 302, 303, 307, 308])
    func redirectsSetCookiesForTheNextRequest(_ status: Int) async throws {
        site.server.answer(
            "/a",
            with: .redirect(to: "/b", status: status).header("Set-Cookie", "a=1; Path=/").header(
                "Set-Cookie", "only=a; Path=/a"))
        site.server.answer("/b", with: .redirect(to: "/item", status: status).header("Set-Cookie", "a=2; Path=/"))
        site.server.answer("/item", with: .item(1).header("Set-Cookie", "b=3"))
        #expect(try await GetItem(client(), .networkOnly, .get("/a")).promise.value.id == 1)
        #expect(received == ["-", "a=1", "a=2"])
        #expect(jar.cookies.map(\.pair).sorted() == ["a=2", "b=3", "only=a"])
    }

    /// A redirect to another host gets the cookies of that host, and none of the host before.
    @Test func eachHostGetsItsOwnCookies() async throws {
        let mock = MockTransport()
        mock.stub(
            .get, "https://a.example.com/",
            .status(302).header("Location", "https://b.example.com/").header("Set-Cookie", "new=a"))
        mock.stub(.get, "https://b.example.com/", .status(302).header("Location", "https://a.example.com/end"))
        mock.stub(.get, "https://a.example.com/end", .status(200))
        for host in ["a", "b"] {
            let url = try #require(URL(string: "https://\(host).example.com/"))
            jar.store(["host=\(host)", "shared=1; Domain=example.com"], from: url, at: Date())
        }
        let client = Client(baseURL: URL(string: "https://a.example.com")) {
            $0.transport = mock
            $0.cookies = .jar(jar)
            $0.trustedOrigins = ["https://b.example.com"]
        }
        let response = try await client.get("/", as: HTTPResponse.self).value
        func sorted(_ field: String?) -> [String] { (field ?? "-").components(separatedBy: "; ").sorted() }
        #expect(
            mock.requests.map { sorted($0.headers["Cookie"]) }
                == [["host=a", "shared=1"], ["host=b", "shared=1"], ["host=a", "new=a", "shared=1"]])
        #expect(mock.requests.allSatisfy { $0.headers.all("Cookie").count == 1 })
        #expect(response.redirects.allSatisfy { $0.request?.headers["Cookie"] == nil })
    }

    @Test(arguments: [401, 404, 500])
    func refusedResponsesSetCookies(_ status: Int) async throws {
        site.server.answer("/item", with: .status(status, headers: ["Set-Cookie": "a=1"]))
        await #expect(throws: RequestError.self) { try await GetItem(client(), .networkOnly).promise.value }
        #expect(jar.cookies.map(\.pair) == ["a=1"])
    }

    @Test func truncatedResponsesSetCookies() async throws {
        site.server.answer("/item", with: .item(1).header("Set-Cookie", "a=1").declaring(length: 100_000).closing())
        let error = await refusal(of: GetItem(client(), .networkOnly).promise)
        #expect(jar.cookies.isEmpty == (error?.response == nil))
    }

    @Test func retriesHaveTheCookiesOfTheFailedAttempt() async throws {
        site.server.enqueue(
            .status(503, headers: ["Set-Cookie": "a=1"]), .status(503, headers: ["Set-Cookie": "a=2"]), .item(1))
        let client = client { $0.retryPolicy = .exponential(attempts: 3, base: .zero, cap: .zero) }
        #expect(try await GetItem(client, .networkOnly).promise.value.id == 1)
        #expect(received == ["-", "a=1", "a=2"])
    }

    @Test func cookiesOfALaterStageStayInRetries() async throws {
        struct Signing: Stage {
            func shortcut(for request: HTTPRequest, of plan: CommonPlan) -> StageShortcut { .needed }
            func accepts(_ outcome: Result<HTTPResponse, any Error>, of plan: CommonPlan) -> Bool { true }
            func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
                var request = request
                request.headers["Cookie"] = "token=1"
                return try await next(request)
            }
        }
        site.server.enqueue(.status(503, headers: ["Set-Cookie": "a=1"]), .item(1))
        let client = client {
            $0.features[AddedStages.self] = AddedStages(belowCache: [Signing()])
            $0.retryPolicy = .exponential(attempts: 2, base: .zero, cap: .zero)
        }
        _ = try await GetItem(client, .networkOnly).promise.value
        #expect(received == ["token=1", "token=1"])
    }

    // MARK: Fields of the request

    @Test func cookiesOfTheRequestAreMerged() async throws {
        jar.store(["a=1", "b=2"], from: site.server.url, at: Date())
        site.server.enqueue(.redirect(to: "/item"), .item(1))
        let request = Fetch<Item>(.get("/item"), of: client())
        request.fields = ["Cookie": "b=own", "cookie": "c=3"]
        _ = try await request.promise.value
        #expect(received == ["b=own; c=3; a=1", "b=own; c=3; a=1"])
        #expect(jar.cookies.count == 2)
    }

    @Test func cookiesOfTheRequestDoNotReachOtherOrigins() async throws {
        let other = try LoopbackServer()
        defer { other.stop() }
        other.answer { .text($0.headers["Cookie"] ?? "none") }
        site.server.answer("/item", with: .redirect(to: other.url("/x").absoluteString))
        jar.store(["jar=1"], from: site.server.url, at: Date())
        let request = Fetch<String>(.get("/item"), of: client())
        request.fields = ["Cookie": "own=1"]
        // The cookies of a host are for all its ports.
        #expect(try await request.promise.value == "jar=1")
        #expect(received == ["own=1; jar=1"])
    }

    // MARK: The cache

    @Test func varyCookieSeesTheCookiesOfTheJar() async throws {
        site.server.answer("/item") { request in
            .item(request.headers["Cookie"] == "user=a" ? 1 : 2).header("Cache-Control", "max-age=86400")
                .header("Vary", "Cookie")
        }
        let client = client()
        var ids: [Int] = []
        for user in ["a", "b", "a", "b"] {
            try jar.set(Cookie("user", user, domain: "127.0.0.1"))
            ids.append(try await GetItem(client, .http).promise.value.id)
            await client.finishStoring()
        }
        #expect(ids == [1, 2, 1, 2])
    }

    /// Cached responses have the fields that set cookies, and set none: the application has removed the cookie meanwhile.
    @Test(arguments: [.http, .cacheElseNetwork] as [CachePolicy], [Uniqueness.allow, .join])
    func cachedResponsesSetNoCookies(_ policy: CachePolicy, _ uniqueness: Uniqueness) async throws {
        site.server.answer(
            "/item",
            with: .item(1).header("Set-Cookie", "a=1").header("Set-Cookie", "b=2").header(
                "Cache-Control", "max-age=86400"))
        let client = client { $0.uniqueness = uniqueness }
        _ = try await GetItem(client, policy).promise.value
        #expect(jar.cookies.map(\.pair).sorted() == ["a=1", "b=2"])
        await client.finishStoring()
        for cookie in jar.cookies { jar.remove(cookie) }
        // From the store, from memory, and through an interceptor.
        for client in [client, client, client.with { $0.interceptors = [Passing()] }] {
            let call = GetItem(client, policy).start()
            #expect(try await call.value.id == 1)
            #expect(call.response?.source.isCache == true)
            #expect(call.response?.headers.all("Set-Cookie") == ["a=1", "b=2"])
            #expect(jar.cookies.isEmpty)
        }
        #expect(site.count == 1)
        // The response goes with its user.
        jar.removeAll()
        #expect(await refusal(of: GetItem(client, .cacheOnly).promise)?.code == .notCached)
    }

    /// Another user signs in before the next attempt. It would have the cookies of that user, and bring the data to this one.
    @Test(arguments: [(false, nil), (true, nil), (true, "configured")] as [(Bool, String?)])
    func retryIsNotSentForAnotherUser(_ isIntercepted: Bool, _ identity: String?) async throws {
        jar.store(["sid=alice"], from: site.server.url, at: Date())
        site.server.answer("/item") { [jar, site] _ in
            jar.removeAll()
            jar.store(["sid=bob"], from: site.server.url, at: Date())
            return .status(503)
        }
        let client = client {
            $0.retryPolicy = .exponential(attempts: 3, base: .zero)
            $0.identity = identity
            if isIntercepted { $0.interceptors = [Passing()] }
        }
        #expect(await refusal(of: GetItem(client, .networkOnly).promise)?.code == .signedOut)
        #expect(received == ["sid=alice"])
    }

    @Test func cookiesOfA304AreRecordedOnceAndReturnedLater() async throws {
        site.server.answer("/item") { [site] request in
            let isFirst = site.count == 1
            let response =
                request.headers["If-None-Match"] == nil ? Response.item(1) : .status(304).header("ETag", "\"1\"")
            return response.header("Cache-Control", isFirst ? "max-age=0" : "max-age=86400")
                .header("Set-Cookie", isFirst ? "a=1" : "a=2")
        }
        let client = client()
        for value in ["a=1", "a=2"] {
            let call = GetItem(client, .http).start()
            _ = try await call.value
            await client.finishStoring()
            #expect(call.response?.headers.all("Set-Cookie") == [value])
            #expect(jar.cookies.map(\.pair) == [value])
        }
        for cookie in jar.cookies { jar.remove(cookie) }
        let call = GetItem(client, .http).start()
        _ = try await call.value
        #expect(call.response?.headers.all("Set-Cookie") == ["a=2"])
        #expect(call.response?.source.isCache == true)
        #expect(jar.cookies.isEmpty)
        #expect(site.count == 2)
    }

    @Test func responseFromMemoryHitsWithAJar() async throws {
        site.server.answer("/item", with: .item(1).header("Cache-Control", "max-age=86400"))
        jar.store(["a=1"], from: site.server.url, at: Date())
        let client = client()
        for _ in 0..<2 { _ = try await GetItem(client, .http).promise.value }
        let call = GetItem(client, .http).start()
        #expect(call.isFinished)
        #expect(try await GetItem(client, .http).cached()?.id == 1)
        #expect(site.count == 1)
    }

    // MARK: Custom storages and secrets

    private struct Visitor: CookieStorage {
        let facts: Facts
        func cookieHeader(for url: URL, at date: Date) -> String? { "visitor=\(url.path.count)" }
        func store(_ fields: [String], from url: URL, at date: Date) { facts.note(fields.joined(separator: "|")) }
    }

    @Test func customStorageDecides() async throws {
        site.server.answer("/item", with: .item(1).header("Set-Cookie", "a=1, b").header("set-cookie", "c=1"))
        let facts = Facts()
        let client = client { $0.cookies = .custom(Visitor(facts: facts)) }
        _ = try await GetItem(client, .networkOnly).promise.value
        #expect(received == ["visitor=5"])
        #expect(facts.all == ["a=1, b|c=1"])
        #expect("\(client.configuration.cookies)" == "Visitor")
    }

    @Test func logsAndRecordingsShowNoCookies() async throws {
        let lines = Facts()
        let files = ScratchFiles()
        let file = files.url.appendingPathComponent("run.har")
        let recorder = try HARRecorder(file: file)
        site.server.answer("/item", with: .status(500, headers: ["Set-Cookie": "set=secret-word; Path=/"]))
        jar.store(["sent=secret-word"], from: site.server.url, at: Date())
        let client = client {
            $0.log = CallLog(.body) { lines.note("\($0)") }
            $0.observers = [recorder, site.facts.observer()]
        }
        let call = GetItem(client, .networkOnly).start()
        let error = await refusal(of: call.promise)
        await client.shutdown()
        recorder.close()
        #expect(received == ["sent=secret-word"])
        #expect(jar.cookies.count == 2)
        var dumped = ""
        dump(call, to: &dumped)
        dump(error, to: &dumped)
        dump(client, to: &dumped)
        let texts = [
            lines.all.joined(), try String(contentsOf: file, encoding: .utf8), dumped, "\(error.map { "\($0)" } ?? "")",
            "\(call.attempts)", "\(call)", call.curlCommand ?? "",
        ]
        #expect(lines.all.joined().contains("Cookie"))
        #expect(!texts.contains { $0.contains("secret-word") })
    }
}

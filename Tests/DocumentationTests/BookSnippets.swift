import Foundation
import LoopbackServer
import Tango
import TangoMeasuring
import TangoTesting
import Testing

@testable import TestSupport

/// The code of the chapters "Working offline" and "On a server". The first page shares its code with the README.
@Suite(.timeLimit(.minutes(20)))
struct BookSnippets: CookbookPage {
    let server: LoopbackServer
    private let files = ScratchFiles()
    private let shown = Facts()
    typealias Request = Cookbook.Request

    private func show(_ text: String) { shown.note(text) }

    init() throws {
        server = try LoopbackServer()
        server.answer("/users/*", with: Cookbook.ada())
        server.answer("/articles/*") { request in .json(#"{"title": "Article\#(request.path.suffix(2))"}"#) }
    }

    // MARK: Working offline

    struct Article: Codable, Sendable { let title: String }

    final class GetArticle: Request<Article> {
        let id: Int
        init(id: Int) { self.id = id }
        override var endpoint: Endpoint { .get("/articles/\(id)") }
        override var cachePolicy: CachePolicy { .networkElseCache }
        override var timeouts: Timeouts { Timeouts(connect: .seconds(3), idle: .seconds(10)) }
    }

    @Test func cachedArticles() async throws {
        // The names of the chapter: the client of these requests is its default client.
        enum Client { static var `default`: TangoRequest.Client { Cookbook.client } }
        let network = ScriptedConnectivity()
        let client = TangoRequest.Client(baseURL: url, cache: MemoryStore()) { $0.connectivity = network }
        try await with(client) {
            let ids = [7]
            let articles = try await Promise.all(ids, limit: 4) { id in GetArticle(id: id).promise }.value
            await Client.default.finishStoring()
            #expect(articles.count == 1)
            server.stop()
            network.status = .unavailable

            let call = GetArticle(id: 7).start()
            let article = try await call.value
            if case .cache(let age, isStale: true)? = call.response?.source {
                show("\(article.title), as of \(age.components.seconds / 60) minutes ago")
            }
            await #expect(throws: RequestError.self) { try await GetArticle(id: 8).promise.value }
        }
        #expect(shown.all == ["Article/7, as of 0 minutes ago"])
    }

    @Test func noArticle() async throws {
        let mock = MockTransport()
        mock.stub(.get, "/articles/8", .failure(.offline))
        try await with(Client(baseURL: URL(string: "https://api.example.com")) { $0.transport = mock }) {
            do {
                show(try await GetArticle(id: 8).promise.value.title)
            } catch RequestError.Code.offline {
                show("You are offline, and this article has not been read before.")
            }
        }
        #expect(shown.all == ["You are offline, and this article has not been read before."])
    }

    @Test func network() async throws {
        enum SystemConnectivity { static let shared = ScriptedConnectivity() }
        let shown = shown
        @Sendable func show(_ text: String) { shown.note(text) }
        let observation = SystemConnectivity.shared.observe { status in
            show(status == .unavailable ? "offline" : "online")
        }
        SystemConnectivity.shared.status = .unavailable
        await shown.reached("offline")
        withExtendedLifetime(observation) {}

        let mock = MockTransport()
        mock.stub(.get, "/users/1", .json(["id": 1, "name": "Ada"]))
        let url = URL(string: "https://api.example.com")
        let api = Client(baseURL: url) { $0.waitsForConnectivity = .seconds(60) }
            .with { $0.transport = mock }
        let network = ScriptedConnectivity(.unavailable)
        let offline = api.with { $0.connectivity = network }
        let call = Fetch<User>(.get("/users/1"), of: offline).start()
        for await state in call.states where state == .waitingForConnectivity { break }
        network.status = .available
        #expect(try await call.value.name == "Ada")
    }

    struct Change: Codable, Sendable {
        let key: String
        let text: String
    }

    actor Outbox {
        private let api: Client
        private(set) var changes: [Change]

        init(_ api: Client, changes: [Change]) { (self.api, self.changes) = (api, changes) }

        func add(_ change: Change) { changes.append(change) }

        func send() async throws {
            while let change = changes.first {
                let headers: Headers = ["Idempotency-Key": change.key]
                try await api.post("/changes", headers: headers, body: .json(change), as: Void.self).value
                changes.removeAll { $0.key == change.key }
            }
        }
    }

    @Test func outbox() async throws {
        server.answer("/changes", method: "POST", with: .status(201))
        let outbox = Outbox(api, changes: [Change(key: "a", text: "one")])
        await outbox.add(Change(key: "b", text: "two"))
        server.enqueue(.status(201), .status(503))
        await #expect(throws: RequestError.self) { try await outbox.send() }
        #expect(await outbox.changes.map(\.key) == ["b"])
        try await outbox.send()
        #expect(await outbox.changes.isEmpty)
        #expect(server.requests.map { $0.headers["Idempotency-Key"] } == ["a", "b", "b"])
    }

    // MARK: On a server

    @Test func limits() async throws {
        let payments = Client(baseURL: url) {
            $0.timeouts = Timeouts(connect: .seconds(1), idle: .seconds(5), total: .seconds(10))
            $0.limiter = Limiter(total: 64, queue: 1000)
            $0.retryPolicy = .exponential(attempts: 3, base: .milliseconds(50), cap: .seconds(1))
            $0.retryBudget = RetryBudget(burst: 50, perRequest: 0.1, perSecond: 5)
            $0.responseLimit = 4 << 20
        }
        server.answer("/large", with: .generated(bytes: 5 << 20))
        let patient = payments.with { $0.timeouts = .patient }
        let error = try await failure { try await patient.get("/large", as: Data.self).value }
        #expect(error.code == .responseTooLarge)
        await payments.shutdown()
        let late = try await failure { try await payments.get("/large", as: Data.self).value }
        #expect(late.code == .shutDown)
    }

    struct Summary: Sendable { let name: String, posts: Int }

    @Test func summaries() async throws {
        server.answer("/posts", with: .json(#"[{"id": 1, "title": "Hello"}]"#))
        let backend = api
        func handle(_ id: Int) async throws -> Summary {
            async let user = backend.get("/users/\(id)", as: User.self).value
            async let posts = backend.get("/posts", query: ["author": id], as: [Post].self).value
            return try await Summary(name: user.name, posts: posts.count)
        }
        let summary = try await handle(1)
        #expect(summary.name == "Ada")
        #expect(summary.posts == 1)

        let gate = Gate()
        server.answer("/users/2", with: Cookbook.ada(2).held(by: gate))
        let handler = Task { try await handle(2) }
        try await gate.reached()
        let held = try #require(server.requests.first { $0.path == "/users/2" }).connection
        handler.cancel()
        #expect(try await server.connectionEnded(held) == .closedByClient)
    }

    @Test func sharedCache() async throws {
        struct Cart: Codable, Sendable { let owner: String }
        server.answer("/cart") { request in
            let owner = request.headers["Authorization"] ?? "none"
            return Response.json(#"{"owner": "\#(owner)"}"#).header("Cache-Control", "max-age=600")
        }
        let folder = files.url
        let disk = try DiskStore(directory: folder, limits: CacheLimits(bytes: 1 << 30))
        let store = TieredStore(memory: MemoryStore(limits: CacheLimits(bytes: 64 << 20)), over: disk)
        let catalogue = Client(baseURL: url, cache: store) { $0.uniqueness = .join }
        for token in ["a", "b", "a"] {
            let headers: Headers = .bearerAuthorization(token: token)
            let cart = try await catalogue.get("/cart", headers: headers, as: Cart.self).value
            #expect(cart.owner == "Bearer \(token)")
        }
        #expect(server.requestCount == 2)
        await catalogue.shutdown()
        await disk.close()
    }

    enum Span {
        @TaskLocal static var current: TraceContext?
    }

    @Test func traces() async throws {
        let shown = shown
        @Sendable func logger(_ level: String, _ text: String) { shown.note("\(level): \(text)") }
        let traced = Client(baseURL: url) {
            $0.attemptInterceptors = [TraceInterceptor { Span.current }]
            $0.collectsStatistics = true
        }
        let logged = traced.with {
            $0.log = CallLog(.line) { entry in logger(entry.severity == .error ? "error" : "info", entry.text) }
        }
        let span = TraceContext()
        _ = try await Span.$current.withValue(span) { try await logged.get("/users/1", as: User.self).value }
        #expect(server.requests.first?.headers["traceparent"]?.contains(span.traceID) == true)
        await shown.reached(count: 1)
        #expect(shown.all.first?.contains("/users/1") == true)
        _ = try await traced.get("/users/1", as: User.self).value
        let text = traced.statistics.prometheus
        #expect(text.contains(#"tango_calls_total{host="127.0.0.1:\#(server.port)",result="success"} "#))
    }
}

import Foundation
import LoopbackServer
import Tango
import Testing

@testable import TestSupport

/// The recipes of the page "Caches and many requests".
@Suite(.timeLimit(.minutes(20)))
struct CookbookCachingSnippets: CookbookPage {
    let server: LoopbackServer
    private let shown = Facts()
    typealias Request = Cookbook.Request

    private func show(_ text: String) { shown.note(text) }

    init() throws {
        server = try LoopbackServer()
        server.answer("/users/*") { request in
            .json(#"{"id": \#(request.path.split(separator: "/").last ?? "0"), "name": "Ada"}"#)
        }
    }

    private var caching: Client { Client(baseURL: url, cache: MemoryStore()) }

    final class GetProfile: Request<User> {
        override var endpoint: Endpoint { .get("/users/1") }
        override var cachePolicy: CachePolicy { .cacheElseNetwork(maxAge: .seconds(300)) }
    }

    @Test func fiveMinutes() async throws {
        try await with(caching) {
            for _ in 1...3 { _ = try await GetProfile().promise.value }
        }
        #expect(server.requestCount == 1)
    }

    @Test func pullToRefresh() async throws {
        try await with(caching) {
            _ = try await GetProfile().promise.value
            server.answer("/users/1", with: .json(#"{"id": 1, "name": "Grace"}"#))
            let api = Cookbook.client
            let fresh = api.with { $0.cachePolicy = .reload }
            let user = try await fresh.get("/users/1", as: User.self).value
            #expect(user.name == "Grace")
        }
    }

    @Test func offline() async throws {
        let store = MemoryStore()
        let api = Client(baseURL: url, cache: store) { $0.cachePolicy = .networkElseCache }
        #expect(try await api.get("/users/1", as: User.self).value.name == "Ada")
        await api.finishStoring()
        server.stop()
        let call = Fetch<User>(.get("/users/1"), of: api).start()
        let user = try await call.value
        if case .cache(let age, _)? = call.response?.source { show("\(user.name), offline since \(age)") }
        #expect(shown.all.first?.hasPrefix("Ada, offline since") == true)
    }

    @Test func readingWithoutANetwork() async throws {
        try await with(caching) {
            let request = GetProfile()
            #expect(try await request.cached() == nil)
            try await request.store(User(id: 1, name: "Draft"))
            let user = try await request.cached()
            #expect(user?.name == "Draft")
            try await request.evict()
            #expect(try await request.cached() == nil)
        }
        #expect(server.requests.isEmpty)
    }

    final class GetCart: Request<String> {
        override var endpoint: Endpoint { .get("/cart") }
        override var cachePolicy: CachePolicy { .cacheElseNetwork }
        override var tags: Set<String> { ["cart"] }
    }

    @Test func invalidating() async throws {
        server.answer("/cart", with: .text("empty"))
        server.answer("/orders", method: "POST", with: .status(201))
        try await with(caching) {
            let api = Cookbook.client
            #expect(try await GetCart().promise.value == "empty")
            server.answer("/cart", with: .text("one book"))
            try await api.post("/orders", body: .json(["book": 7]), as: Void.self).value
            try await api.removeCachedResponses(tagged: "cart")
            #expect(try await GetCart().promise.value == "one book")
        }
    }

    @Test func equalRequests() async throws {
        let gate = Gate()
        server.answer("/users/1", with: Cookbook.ada().held(by: gate))
        let api = Client(baseURL: url) { $0.uniqueness = .join }
        let users = (1...100).map { _ in api.get("/users/1", as: User.self) }
        try await gate.reached()
        gate.open()
        #expect(try await Promise.all(users).value.count == 100)
        #expect(server.requestCount == 1)
    }

    @Test func batches() async throws {
        let api = api
        let users = Promise.all(1...20, limit: 4) { id in api.get("/users/\(id)", as: User.self) }
        #expect(try await users.value.map(\.id) == Array(1...20))
    }

    @Test func oneAfterTheOther() async throws {
        let api = Client(baseURL: url) { $0.limiter = Limiter(total: 1) }
        let names = (1...3).map { id in api.get("/users/\(id)", as: User.self) }
        _ = try await Promise.all(names).value
        #expect(server.requests.map(\.path) == ["/users/1", "/users/2", "/users/3"])
    }

    actor Pace: Interceptor {
        private var turn = ContinuousClock.now
        func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
            let turn = max(turn, .now)
            self.turn = turn + .milliseconds(100)  // ten requests a second
            try await Task.sleep(until: turn)
            return try await next(request)
        }
    }

    @Test func scraping() async throws {
        let pace = Pace()
        let api = Client(baseURL: url) {
            $0.attemptInterceptors = [pace]
            $0.limiter = Limiter(perHost: 2)
            $0.retryPolicy = .standard  // waits as long as a 429 says in its `Retry-After`
        }
        server.enqueue(Response.status(429).header("Retry-After", "0"))
        let start = ContinuousClock.now
        let pages = Promise.all(1...3, limit: 3) { page in api.get("/users/\(page)", as: Data.self) }
        #expect(try await pages.value.count == 3)
        #expect(server.requestCount == 4)
        #expect(start.duration(to: .now) >= .milliseconds(300))
    }

    @Test func emptying() async throws {
        let api = caching.with { $0.cachePolicy = .cacheElseNetwork }
        for _ in 1...2 {
            _ = try await api.get("/users/1", as: User.self).value
            try await api.removeCachedResponses()
        }
        #expect(server.requestCount == 2)
    }
}

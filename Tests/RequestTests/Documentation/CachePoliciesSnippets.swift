import Foundation
import LoopbackServer
import Synchronization
import TangoCache
import TangoPromise
import TangoRequest
import Testing

/// The code of "Cache policies", and of the doc comments on what it describes.
@Suite struct CachePoliciesSnippets {
    struct User: Codable, Sendable, Equatable { let id: Int, name: String }

    /// A client of the server of the snippets with a store of its own.
    @TaskLocal static var client = Client(baseURL: Sample.server.url, cache: MemoryStore())

    class Request<Output: Sendable>: TangoRequest.Request<Output> {
        override var client: Client { CachePoliciesSnippets.client }
    }

    final class GetUser: Request<User> {
        let id: Int
        init(id: Int) { self.id = id }
        override var endpoint: Endpoint { .get("/users/\(id)") }
        override var cachePolicy: CachePolicy { .cacheThenNetwork }
    }

    final class GetProfile: Request<User> {
        override var endpoint: Endpoint { .get("/profile") }
        override var cachePolicy: CachePolicy { .cacheElseNetwork(maxAge: .seconds(300)) }
    }

    final class SaveDraft: Request<Void> {
        override var endpoint: Endpoint { .put("/draft") }
        override var uniqueness: Uniqueness { .replace }
    }

    @Test func policies() {
        let policy = CachePolicy(fetch: .networkElseCache, hit: .sliding(.seconds(86_400)), write: .model)
        #expect(policy.fetch == .networkElseCache && policy.write == .model)
    }

    @Test func values() async throws {
        var names: [String] = []
        func print(_ name: String) { names.append(name) }
        for try await user in GetUser(id: 1).values {
            print(user.name)
        }
        #expect(names == ["Ada"])
    }

    @Test func byRequest() async throws {
        let request = GetProfile()
        try await request.store(User(id: 1, name: "Ada"))
        let kept = try await request.cached()
        try await request.evict()
        #expect(kept == User(id: 1, name: "Ada"))
        #expect(try await request.cached() == nil)
    }

    @Test func drafts() {
        #expect(SaveDraft().uniqueness == .replace)
    }
}

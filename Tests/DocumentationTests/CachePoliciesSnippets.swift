import Foundation
import LoopbackServer
import Synchronization
import TangoCache
import TangoPromise
import TangoRequest
import Testing

@testable import TestSupport

/// The code of "Cache policies", and of the doc comments of the types in that article.
@Suite struct CachePoliciesSnippets {
    struct User: Codable, Sendable, Equatable { let id: Int, name: String }

    /// Creates a client of the server of the snippets with a store of its own.
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

    final class GetPicture: Request<Data> {
        let name: String, signature: String  // changes with each request
        init(name: String, signature: String) {
            self.name = name
            self.signature = signature
        }
        override var endpoint: Endpoint { .get("/pictures/\(name)", query: ["signature": signature]) }
        override var cachePolicy: CachePolicy { .cacheElseNetwork }
        override var cacheKey: CacheKey? { "pictures/\(name)" }
    }

    /// Compiled, but not run, because the store is that of the application.
    private func making(_ url: URL) -> Client {
        let client = Client(baseURL: url, cache: .shared)
        return client
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

    @Test func sources() async throws {
        try await Self.$client.withValue(Client(baseURL: Sample.server.url, cache: MemoryStore())) {
            var printed: [String] = []
            func print(_ text: String) { printed.append(text) }
            try await GetProfile().store(User(id: 1, name: "Ada"))
            let call = GetProfile().start()
            let user = try await call.value
            if case .cache(let age, let isStale)? = call.response?.source {
                print("\(user.name), cached \(age) ago\(isStale ? ", and stale" : "")")
            }
            #expect(printed.count == 1)
            #expect(printed.first?.hasPrefix("Ada, cached ") == true)
            #expect(printed.first?.contains("stale") == false)
            #expect(call.response?.source.isCache == true)
            #expect(call.metrics != nil && call.metrics?.finished == nil)
        }
    }

    @Test func names() async throws {
        try await GetPicture(name: "ada", signature: "1").store(Data("a picture".utf8))
        let kept = try await GetPicture(name: "ada", signature: "2").cached()
        #expect(kept == Data("a picture".utf8))
        #expect(try await GetPicture(name: "grace", signature: "1").cached() == nil)
    }

    @Test func drafts() {
        #expect(SaveDraft().uniqueness == .replace)
    }
}

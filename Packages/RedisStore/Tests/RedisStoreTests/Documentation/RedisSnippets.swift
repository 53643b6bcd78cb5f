import Foundation
import RedisStore
import TangoCache
import Testing

/// The code of the documentation.
@Suite struct RedisSnippets {
    private let password = "secret"

    @Test func configures() throws {
        var configuration = try RedisConfiguration("redis://cache.internal:6379/0")
        configuration.password = password
        configuration.prefix = "shop"
        #expect("\(configuration)".contains("secret") == false)
    }

    @Test func opens() throws {
        let redis = try RedisStore(RedisConfiguration("redis://cache.internal:6379/0"))
        let store = TieredStore(memory: MemoryStore(limits: CacheLimits(bytes: 64 << 20)), over: redis)
        #expect(store.peek("a") == nil)
        let health = redis.health
        print(health.isReachable, health.outages, health.owedRemovals)
        redis.close()
    }

    @Test func makesEntriesOnce() async throws {
        var configuration = try RedisConfiguration("redis://127.0.0.1:1")
        configuration.budget = .milliseconds(50)
        let redis = try RedisStore(configuration)
        func render() async throws -> Data { Data("page".utf8) }
        let page = try await redis.entry(for: "page", makingFor: .seconds(2)) {
            CacheEntry(body: try await render(), tags: ["pages"])
        }
        // The server cannot be reached, so this process makes its own.
        #expect(page.body == Data("page".utf8))
        redis.close()
    }
}

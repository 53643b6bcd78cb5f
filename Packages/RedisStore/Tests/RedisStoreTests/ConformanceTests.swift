import CacheConformance
import RedisStore
import TangoCache
import Testing

@Suite(.enabled(if: RedisServer.isThere, Comment(rawValue: RedisServer.hint)))
struct ConformanceTests {
    @Test func storeFollowsTheContract() async throws {
        let configuration = try RedisServer.configuration()
        try await CacheStoreConformance.check { try RedisStore(configuration) }
    }

    @Test func storeWithEncipheredNamesFollowsTheContract() async throws {
        var configuration = try RedisServer.configuration()
        configuration.keySecret = "a secret of the fleet"
        try await CacheStoreConformance.check { [configuration] in try RedisStore(configuration) }
    }
}

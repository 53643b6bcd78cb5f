import TangoCache
import Testing

@Suite struct ConformanceTests {
    @Test func aCorrectStorePasses() async throws {
        try await CacheStoreConformance.check { ActorStore() }
    }

    @Test func storesThatShareWhatIsBehindThemPass() async throws {
        let store = ActorStore()
        try await CacheStoreConformance.check { store }
        for try await item in store.entries() { Issue.record("\(item.key) was left behind") }
    }
}

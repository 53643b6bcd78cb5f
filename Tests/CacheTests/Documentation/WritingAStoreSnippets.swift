import TangoCache
import Testing

/// The snippets of the article on writing a store, and of the conformance check.
@Suite struct WritingAStoreSnippets {
    @Test func myStoreKeepsTheContract() async throws {
        try await CacheStoreConformance.check { try MyStore() }
    }
}

/// A store that may fail to open, as most do.
private struct MyStore: CacheStore {
    private let store = ActorStore()

    init() throws {}

    func get(_ key: CacheKey) async throws -> CacheEntry? { await store.get(key) }
    func set(_ entry: CacheEntry, for key: CacheKey) async throws { await store.set(entry, for: key) }
    func remove(_ key: CacheKey) async throws { await store.remove(key) }
    func removeAll(progress: @escaping @Sendable (CacheProgress) -> Void) async throws {
        await store.removeAll(progress: progress)
    }
    func entries() -> CacheEntries { store.entries() }
}

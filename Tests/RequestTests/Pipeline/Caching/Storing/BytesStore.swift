import TangoCache

@testable import TestSupport

/// A store without decoded objects, as a store on disk.
final class BytesStore: CacheStore {
    let inner = MemoryStore()

    func get(_ key: CacheKey) async throws -> CacheEntry? { inner.peek(key) }

    func set(_ entry: CacheEntry, for key: CacheKey) async throws {
        var entry = entry
        entry.object = nil
        try inner.put(entry, for: key)
    }

    func remove(_ key: CacheKey) async throws { inner.drop(key) }

    func removeAll(progress: @escaping @Sendable (CacheProgress) -> Void) async throws {
        try await inner.removeAll(progress: progress)
    }

    func entries() -> CacheEntries { inner.entries() }
}

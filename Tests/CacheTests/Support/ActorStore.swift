import Foundation
import TangoCache

/// A store with the five members that it must have and no more: right, and as plain as can be.
actor ActorStore: CacheStore {
    private var kept: [CacheKey: CacheEntry] = [:]

    func get(_ key: CacheKey) -> CacheEntry? {
        guard let entry = kept[key], entry.expires.map({ $0 > Date() }) ?? true else { return nil }
        return entry
    }

    func set(_ entry: CacheEntry, for key: CacheKey) throws {
        try entry.validate(for: key)
        var entry = entry
        entry.written = entry.written ?? Date()
        kept[key] = entry
    }

    func remove(_ key: CacheKey) {
        kept[key] = nil
    }

    func removeAll(progress: @escaping @Sendable (CacheProgress) -> Void) {
        let count = kept.count
        kept = [:]
        progress(CacheProgress(removed: count, total: count))
    }

    nonisolated func entries() -> CacheEntries {
        CacheEntries { CacheEntries.Page(await self.items) }
    }

    private var items: [CacheItem] {
        kept.map { CacheItem(key: $0, entry: $1) }
    }
}

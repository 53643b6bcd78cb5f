import Foundation
import TangoCache

/// A correct and simple store with only the five required members.
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

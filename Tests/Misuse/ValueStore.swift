// A store is an object, by which clients recognise that they share it.
import TangoCache

struct ValueStore: CacheStore {  // error: non-class type 'ValueStore' cannot conform to class protocol 'CacheStore'
    func get(_ key: CacheKey) async throws -> CacheEntry? { nil }
    func set(_ entry: CacheEntry, for key: CacheKey) async throws {}
    func remove(_ key: CacheKey) async throws {}
    func removeAll(progress: @escaping @Sendable (CacheProgress) -> Void) async throws {}
    func entries() -> CacheEntries { CacheEntries([]) }
}

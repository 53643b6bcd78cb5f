import TangoCache

/// A store of a test over a store in memory. It implements itself only what the test changes.
protocol StoreOverMemory: CacheStore {
    var memory: MemoryStore { get }
}

extension StoreOverMemory {
    func get(_ key: CacheKey) async throws -> CacheEntry? { memory.peek(key) }
    func set(_ entry: CacheEntry, for key: CacheKey) async throws { try memory.put(entry, for: key) }
    func remove(_ key: CacheKey) async throws { memory.drop(key) }
    func removeAll(progress: @escaping @Sendable (CacheProgress) -> Void) async throws { memory.dropAll() }
    func entries() -> CacheEntries { memory.entries() }
}

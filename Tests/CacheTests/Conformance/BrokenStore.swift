import TangoCache

/// A store that does all as it should but for what it implements itself.
protocol BrokenStore: CacheStore {
    var store: ActorStore { get }
}

extension BrokenStore {
    func get(_ key: CacheKey) async throws -> CacheEntry? { await store.get(key) }
    func set(_ entry: CacheEntry, for key: CacheKey) async throws { try await store.set(entry, for: key) }
    func remove(_ key: CacheKey) async throws { await store.remove(key) }
    func removeAll(progress: @escaping @Sendable (CacheProgress) -> Void) async throws {
        await store.removeAll(progress: progress)
    }
    func entries() -> CacheEntries { store.entries() }
}

/// A store that changes what is given to it, or what it returns.
final class AlteringStore: BrokenStore {
    let store = ActorStore()
    let key: @Sendable (CacheKey) throws -> CacheKey
    let kept: @Sendable (inout CacheEntry, _ old: CacheEntry?) throws -> Void
    let found: @Sendable (inout CacheEntry) -> Void

    init(
        key: @escaping @Sendable (CacheKey) throws -> CacheKey = { $0 },
        kept: @escaping @Sendable (inout CacheEntry, _ old: CacheEntry?) throws -> Void = { _, _ in },
        found: @escaping @Sendable (inout CacheEntry) -> Void = { _ in }
    ) {
        self.key = key
        self.kept = kept
        self.found = found
    }

    func get(_ key: CacheKey) async throws -> CacheEntry? {
        guard var entry = await store.get(try self.key(key)) else { return nil }
        found(&entry)
        return entry
    }

    func set(_ entry: CacheEntry, for key: CacheKey) async throws {
        var entry = entry
        let key = try self.key(key)
        try kept(&entry, await store.get(key))
        try await store.set(entry, for: key)
    }

    func remove(_ key: CacheKey) async throws {
        await store.remove(try self.key(key))
    }
}

/// The methods of ``CacheStore``. They throw the same errors as the synchronous forms.
extension MemoryStore {
    public nonisolated(nonsending) func get(_ key: CacheKey) async throws -> CacheEntry? {
        peek(key)
    }

    public nonisolated(nonsending) func set(_ entry: CacheEntry, for key: CacheKey) async throws {
        try put(entry, for: key)
    }

    public nonisolated(nonsending) func remove(_ key: CacheKey) async throws {
        drop(key)
    }

    public nonisolated(nonsending) func removeAll(
        progress: @escaping @Sendable (CacheProgress) -> Void
    ) async throws {
        let count = dropAll()
        progress(CacheProgress(removed: count, total: count))
    }

    public nonisolated(nonsending) func getMany(_ keys: [CacheKey]) async throws -> [CacheEntry?] {
        keys.map(peek)
    }

    public nonisolated(nonsending) func setMany(_ entries: [(key: CacheKey, entry: CacheEntry)]) async throws {
        for (key, entry) in entries { try put(entry, for: key) }
    }

    public nonisolated(nonsending) func removeMany(_ keys: [CacheKey]) async throws {
        for key in keys { drop(key) }
    }

    @discardableResult
    public nonisolated(nonsending) func remove(tag: String) async throws -> Int {
        drop(tag: tag)
    }

    @discardableResult
    public nonisolated(nonsending) func remove(prefix: CacheKey) async throws -> Int {
        drop(prefix: prefix)
    }

    @discardableResult
    public nonisolated(nonsending) func remove(olderThan age: Duration) async throws -> Int {
        drop(olderThan: age)
    }

    public nonisolated(nonsending) func statistics() async throws -> CacheStatistics {
        numbers
    }
}

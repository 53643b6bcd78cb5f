/// Default implementations in terms of the five required members, one entry after the other.
extension CacheStore {
    public nonisolated(nonsending) func getMany(_ keys: [CacheKey]) async throws -> [CacheEntry?] {
        var found: [CacheEntry?] = []
        found.reserveCapacity(keys.count)
        for key in keys {
            found.append(try await get(key))
        }
        return found
    }

    public nonisolated(nonsending) func setMany(_ entries: [(key: CacheKey, entry: CacheEntry)]) async throws {
        for (key, entry) in entries {
            try await set(entry, for: key)
        }
    }

    public nonisolated(nonsending) func removeMany(_ keys: [CacheKey]) async throws {
        for key in keys {
            try await remove(key)
        }
    }

    @discardableResult
    public nonisolated(nonsending) func remove(tag: String) async throws -> Int {
        try await removeAll { item in item.tags.containsBytes(of: tag) }
    }

    @discardableResult
    public nonisolated(nonsending) func remove(prefix: CacheKey) async throws -> Int {
        try await removeAll { item in item.key.hasPrefix(prefix) }
    }

    @discardableResult
    public nonisolated(nonsending) func remove(olderThan age: Duration) async throws -> Int {
        let limit = Date(timeIntervalSinceNow: -age.seconds)
        return try await removeAll { item in item.written < limit }
    }

    /// Removes the entries for which a condition holds, and returns their number.
    private nonisolated(nonsending) func removeAll(where condition: (CacheItem) -> Bool) async throws -> Int {
        var keys: [CacheKey] = []
        for try await item in entries() where condition(item) {
            keys.append(item.key)
        }
        try await removeMany(keys)
        return keys.count
    }

    public nonisolated(nonsending) func statistics() async throws -> CacheStatistics {
        var statistics = CacheStatistics()
        for try await item in entries() {
            statistics.count += 1
            statistics.bytes += item.size
            if item.pinned {
                statistics.pinnedCount += 1
                statistics.pinnedBytes += item.size
            }
        }
        return statistics
    }

    public nonisolated(nonsending) func reader(for key: CacheKey) async throws -> CacheReader? {
        try await get(key).map { entry in CacheReader(key: key, entry: entry) }
    }

    public nonisolated(nonsending) func writer(for key: CacheKey, entry: CacheEntry) async throws -> CacheWriter {
        CacheWriter(buffering: entry) { entry in try await self.set(entry, for: key) }
    }

    public var hasHistory: Bool { false }

    public nonisolated(nonsending) func moment() async throws -> CacheMoment? { nil }

    @discardableResult
    public nonisolated(nonsending) func set(
        _ entry: CacheEntry, for key: CacheKey, unlessRemovedSince moment: CacheMoment
    ) async throws -> Bool {
        try await set(entry, for: key)
        return true
    }

    public func changes() -> CacheChanges? { nil }
}

extension Duration {
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}

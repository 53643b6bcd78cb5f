extension TieredStore {
    public nonisolated(nonsending) func set(_ entry: CacheEntry, for key: CacheKey) async throws {
        let entry = memory.stamped(entry)
        try await write([key]) {
            try await backing.set(entry, for: key)
            keep(entry, for: key)
        }
    }

    public var hasHistory: Bool { backing.hasHistory }

    public nonisolated(nonsending) func moment() async throws -> CacheMoment? {
        try await backing.moment()
    }

    @discardableResult
    public nonisolated(nonsending) func set(
        _ entry: CacheEntry, for key: CacheKey, unlessRemovedSince moment: CacheMoment
    ) async throws -> Bool {
        let entry = memory.stamped(entry)
        var isStored = false
        try await write([key]) {
            isStored = try await backing.set(entry, for: key, unlessRemovedSince: moment)
            if isStored { keep(entry, for: key) } else { memory.drop(key) }
        }
        return isStored
    }

    public func changes() -> CacheChanges? {
        backing.changes()
    }

    public nonisolated(nonsending) func setMany(_ entries: [(key: CacheKey, entry: CacheEntry)]) async throws {
        let entries = entries.map { (key: $0.key, entry: memory.stamped($0.entry)) }
        try await write(entries.map(\.key)) {
            try await backing.setMany(entries)
            for (key, entry) in entries { keep(entry, for: key) }
        }
    }

    public nonisolated(nonsending) func remove(_ key: CacheKey) async throws {
        try await write([key]) {
            try await backing.remove(key)
            memory.drop(key)
        }
    }

    public nonisolated(nonsending) func removeMany(_ keys: [CacheKey]) async throws {
        try await write(keys) {
            try await backing.removeMany(keys)
            for key in keys { memory.drop(key) }
        }
    }

    /// Writes the body to the backing store. Memory drops the key at the commit.
    public nonisolated(nonsending) func writer(for key: CacheKey, entry: CacheEntry) async throws -> CacheWriter {
        CacheWriter(Passing(store: self, key: key, writer: try await backing.writer(for: key, entry: entry)))
    }

    private final class Passing: CacheWriter.Target {
        private let store: TieredStore
        private let key: CacheKey
        private let writer: CacheWriter

        init(store: TieredStore, key: CacheKey, writer: CacheWriter) {
            self.store = store
            self.key = key
            self.writer = writer
        }

        nonisolated(nonsending) func write(_ portion: Data) async throws {
            try await writer.write(portion)
        }

        nonisolated(nonsending) func commit() async throws {
            try await store.write([key]) {
                try await writer.commit()
                store.memory.drop(key)
            }
        }

        func abandon() {
            writer.abandon()
        }
    }

    /// Changes some keys. If that fails, memory drops them, because the content of the backing store is unknown.
    @inline(never)
    private nonisolated(nonsending) func write(
        _ keys: [CacheKey], _ body: nonisolated(nonsending) () async throws -> Void
    ) async throws {
        state.withLock { $0.inFlight.beginWrite(keys) }
        defer { state.withLock { $0.inFlight.endWrite(keys) } }
        do {
            try await body()
        } catch {
            for key in keys { memory.drop(key) }
            throw error
        }
    }

    /// Stores an entry in memory after the backing store has accepted it, unless another change has overlapped.
    private func keep(_ entry: CacheEntry, for key: CacheKey) {
        let isKept = try? memory.put(entry, for: key, pinned: false) {
            state.withLock { $0.inFlight.mayKeep(key) }
        }
        if isKept != true { memory.drop(key) }
    }
}

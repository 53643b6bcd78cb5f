import Synchronization

/// A store that is opened when it is needed. If it cannot be opened, a store in memory takes its place.
final class LazyStore: CacheStore {
    private enum State {
        case closed
        case open(any CacheStore)
    }

    private let state = Mutex(State.closed)
    private let open: @Sendable () throws -> any CacheStore
    private let report: @Sendable (CacheEvent) -> Void

    init(
        report: @escaping @Sendable (CacheEvent) -> Void = { CacheEvents.onEvent($0) },
        _ open: @escaping @Sendable () throws -> any CacheStore
    ) {
        self.report = report
        self.open = open
    }

    /// The store, which is opened if it has not been.
    private nonisolated(nonsending) var store: any CacheStore {
        get async {
            if case .open(let store)? = state.withLockIfAvailable({ $0 }) { return store }
            return await IO.run { self.opened() }
        }
    }

    private func opened() -> any CacheStore {
        var event: CacheEvent?
        let store: any CacheStore = state.withLock { state in
            if case .open(let store) = state { return store }
            let store: any CacheStore
            do {
                store = try open()
            } catch {
                store = MemoryStore()
                event = .fellBack(reason: "entries are kept in memory only, because the disk cannot be used: \(error)")
            }
            state = .open(store)
            return store
        }
        if let event { report(event) }
        return store
    }

    // MARK: CacheStore

    nonisolated(nonsending) func get(_ key: CacheKey) async throws -> CacheEntry? {
        try await store.get(key)
    }

    nonisolated(nonsending) func set(_ entry: CacheEntry, for key: CacheKey) async throws {
        try await store.set(entry, for: key)
    }

    nonisolated(nonsending) func remove(_ key: CacheKey) async throws {
        try await store.remove(key)
    }

    nonisolated(nonsending) func removeAll(progress: @escaping @Sendable (CacheProgress) -> Void) async throws {
        try await store.removeAll(progress: progress)
    }

    func entries() -> CacheEntries {
        CacheEntries { [self] in
            try await store.entries().first()
        }
    }

    nonisolated(nonsending) func getMany(_ keys: [CacheKey]) async throws -> [CacheEntry?] {
        try await store.getMany(keys)
    }

    nonisolated(nonsending) func setMany(_ entries: [(key: CacheKey, entry: CacheEntry)]) async throws {
        try await store.setMany(entries)
    }

    nonisolated(nonsending) func removeMany(_ keys: [CacheKey]) async throws {
        try await store.removeMany(keys)
    }

    nonisolated(nonsending) func remove(tag: String) async throws -> Int {
        try await store.remove(tag: tag)
    }

    nonisolated(nonsending) func remove(prefix: CacheKey) async throws -> Int {
        try await store.remove(prefix: prefix)
    }

    nonisolated(nonsending) func remove(olderThan age: Duration) async throws -> Int {
        try await store.remove(olderThan: age)
    }

    nonisolated(nonsending) func statistics() async throws -> CacheStatistics {
        try await store.statistics()
    }

    nonisolated(nonsending) func reader(for key: CacheKey) async throws -> CacheReader? {
        try await store.reader(for: key)
    }

    nonisolated(nonsending) func writer(for key: CacheKey, entry: CacheEntry) async throws -> CacheWriter {
        try await store.writer(for: key, entry: entry)
    }
}

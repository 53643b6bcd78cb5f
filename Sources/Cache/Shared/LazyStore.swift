import Synchronization

/// A store that is opened when it is needed, and does nothing if it cannot be opened.
final class LazyStore: CacheStore {
    private enum State {
        case closed
        case open(any CacheStore)
        /// It could not be opened, which has been reported.
        case absent
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

    /// The store; nil if it cannot be opened.
    private nonisolated(nonsending) var store: (any CacheStore)? {
        get async {
            let known: State? = state.withLockIfAvailable { $0 }
            switch known {
            case .open(let store): return store
            case .absent: return nil
            case .closed, nil: return await IO.run { self.opened() }
            }
        }
    }

    private func opened() -> (any CacheStore)? {
        var event: CacheEvent?
        let store: (any CacheStore)? = state.withLock { state in
            switch state {
            case .open(let store): return store
            case .absent: return nil
            case .closed:
                do {
                    let store = try open()
                    state = .open(store)
                    return store
                } catch {
                    state = .absent
                    event = .fellBack(
                        reason: "entries are kept in memory only, because the disk cannot be used: \(error)")
                    return nil
                }
            }
        }
        if let event { report(event) }
        return store
    }

    // MARK: CacheStore

    nonisolated(nonsending) func get(_ key: CacheKey) async throws -> CacheEntry? {
        try await store?.get(key)
    }

    nonisolated(nonsending) func set(_ entry: CacheEntry, for key: CacheKey) async throws {
        try await store?.set(entry, for: key)
    }

    nonisolated(nonsending) func remove(_ key: CacheKey) async throws {
        try await store?.remove(key)
    }

    nonisolated(nonsending) func removeAll(progress: @escaping @Sendable (CacheProgress) -> Void) async throws {
        guard let store = await store else { return progress(CacheProgress(removed: 0, total: 0)) }
        try await store.removeAll(progress: progress)
    }

    func entries() -> CacheEntries {
        CacheEntries { [self] in
            guard let store = await store else { return CacheEntries.Page([]) }
            return try await store.entries().first()
        }
    }

    nonisolated(nonsending) func getMany(_ keys: [CacheKey]) async throws -> [CacheEntry?] {
        try await store?.getMany(keys) ?? Array(repeating: nil, count: keys.count)
    }

    nonisolated(nonsending) func setMany(_ entries: [(key: CacheKey, entry: CacheEntry)]) async throws {
        try await store?.setMany(entries)
    }

    nonisolated(nonsending) func removeMany(_ keys: [CacheKey]) async throws {
        try await store?.removeMany(keys)
    }

    nonisolated(nonsending) func remove(tag: String) async throws -> Int {
        try await store?.remove(tag: tag) ?? 0
    }

    nonisolated(nonsending) func remove(prefix: CacheKey) async throws -> Int {
        try await store?.remove(prefix: prefix) ?? 0
    }

    nonisolated(nonsending) func remove(olderThan age: Duration) async throws -> Int {
        try await store?.remove(olderThan: age) ?? 0
    }

    nonisolated(nonsending) func statistics() async throws -> CacheStatistics {
        try await store?.statistics() ?? CacheStatistics()
    }

    nonisolated(nonsending) func reader(for key: CacheKey) async throws -> CacheReader? {
        try await store?.reader(for: key)
    }

    nonisolated(nonsending) func writer(for key: CacheKey, entry: CacheEntry) async throws -> CacheWriter {
        guard let store = await store else { return CacheWriter(buffering: entry) { _ in } }
        return try await store.writer(for: key, entry: entry)
    }
}

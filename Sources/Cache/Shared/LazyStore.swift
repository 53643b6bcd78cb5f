import Synchronization

/// A store that is opened at its first use.
///
/// If it cannot be opened, a ``FallbackStore`` in memory takes its place. Opening is retried at most once a second,
/// and for each removal. When the store opens, the changes made meanwhile are written to it. A removal throws if it
/// cannot reach entries that may exist, because they would reappear.
final class LazyStore: CacheStore {
    private enum State {
        case closed
        case opening(Task<Void, Never>)
        case open(any CacheStore)
        case replaced(FallbackStore, due: Int)
    }

    /// The next step of a caller that needs the store.
    private enum Step {
        case use(any CacheStore)
        case wait(Task<Void, Never>, isFirst: Bool)
    }

    /// The interval between two attempts to open the store, in seconds.
    static let interval = 1

    private let state = Mutex(State.closed)
    private let feeds = LazyFeeds()
    private let open: @Sendable () throws -> any CacheStore
    private let mayHoldEntries: @Sendable () -> Bool
    private let report: @Sendable (CacheEvent) -> Void
    private let now: @Sendable () -> Int

    /// - Parameters:
    ///   - report: Called once when memory takes the place of the store.
    ///   - mayHoldEntries: Returns whether a store that cannot be opened may contain entries.
    ///   - now: Returns the time in seconds, for tests.
    ///   - open: Opens the store.
    init(
        report: @escaping @Sendable (CacheEvent) -> Void = { CacheEvents.onEvent($0) },
        mayHoldEntries: @escaping @Sendable () -> Bool = { true },
        now: @escaping @Sendable () -> Int = { CoarseClock.seconds },
        _ open: @escaping @Sendable () throws -> any CacheStore
    ) {
        self.report = report
        self.mayHoldEntries = mayHoldEntries
        self.now = now
        self.open = open
    }

    /// Returns the store that a call goes to now, and opens it if that is due.
    ///
    /// - Parameter isRemoval: Retries to open the store even if that has just failed.
    nonisolated(nonsending) func store(isRemoval: Bool = false) async -> any CacheStore {
        var isForced = isRemoval
        while true {
            switch step(isForced: isForced) {
            case .use(let store): return store
            case .wait(let opening, let isFirst):
                await opening.value
                if isFirst { isForced = false }
            }
        }
    }

    @inline(never)
    private func step(isForced: Bool) -> Step {
        let now = now()
        return state.withLock { state in
            var former: FallbackStore?
            switch state {
            case .open(let store): return .use(store)
            case .opening(let opening): return .wait(opening, isFirst: false)
            case .replaced(let fallback, let due) where !isForced && now < due: return .use(fallback)
            case .replaced(let fallback, _): former = fallback
            case .closed: break
            }
            let opening = Task { [former] in await reopen(former) }
            state = .opening(opening)
            return .wait(opening, isFirst: true)
        }
    }

    /// Opens the store without holding a lock.
    private func reopen(_ former: FallbackStore?) async {
        let new: State
        do {
            let store = try await IO.run { [open] in try open() }
            try await former?.move(to: store)
            new = .open(store)
            feeds.follow(store)
        } catch {
            let fallback =
                former ?? FallbackStore(mayHoldEntries: mayHoldEntries) { [weak self] in await self?.store() }
            fallback.use(because: error)
            new = .replaced(fallback, due: now() + Self.interval)
            if former == nil { report(.fellBack(reason: "\(error)")) }
        }
        state.withLock { $0 = new }
    }

    // MARK: CacheStore

    nonisolated(nonsending) func get(_ key: CacheKey) async throws -> CacheEntry? {
        if case .open(let store)? = state.withLockIfAvailable({ $0 }) { return try await store.get(key) }
        return try await store().get(key)
    }

    nonisolated(nonsending) func set(_ entry: CacheEntry, for key: CacheKey) async throws {
        try await store().set(entry, for: key)
    }

    nonisolated(nonsending) func remove(_ key: CacheKey) async throws {
        try await store(isRemoval: true).remove(key)
    }

    nonisolated(nonsending) func removeAll(progress: @escaping @Sendable (CacheProgress) -> Void) async throws {
        try await store(isRemoval: true).removeAll(progress: progress)
    }

    func entries() -> CacheEntries {
        CacheEntries { [self] in try await store().entries().first() }
    }

    nonisolated(nonsending) func getMany(_ keys: [CacheKey]) async throws -> [CacheEntry?] {
        try await store().getMany(keys)
    }

    nonisolated(nonsending) func setMany(_ entries: [(key: CacheKey, entry: CacheEntry)]) async throws {
        try await store().setMany(entries)
    }

    nonisolated(nonsending) func removeMany(_ keys: [CacheKey]) async throws {
        try await store(isRemoval: true).removeMany(keys)
    }

    nonisolated(nonsending) func remove(tag: String) async throws -> Int {
        try await store(isRemoval: true).remove(tag: tag)
    }

    nonisolated(nonsending) func remove(prefix: CacheKey) async throws -> Int {
        try await store(isRemoval: true).remove(prefix: prefix)
    }

    nonisolated(nonsending) func remove(olderThan age: Duration) async throws -> Int {
        try await store(isRemoval: true).remove(olderThan: age)
    }

    nonisolated(nonsending) func statistics() async throws -> CacheStatistics {
        try await store().statistics()
    }

    nonisolated(nonsending) func reader(for key: CacheKey) async throws -> CacheReader? {
        try await store().reader(for: key)
    }

    nonisolated(nonsending) func writer(for key: CacheKey, entry: CacheEntry) async throws -> CacheWriter {
        try await store().writer(for: key, entry: entry)
    }

    var hasHistory: Bool { true }

    nonisolated(nonsending) func moment() async throws -> CacheMoment? {
        try await store().moment()
    }

    nonisolated(nonsending) func set(
        _ entry: CacheEntry, for key: CacheKey, unlessRemovedSince moment: CacheMoment
    ) async throws -> Bool {
        try await store().set(entry, for: key, unlessRemovedSince: moment)
    }

    /// Returns the changes of the store. They begin when it opens.
    func changes() -> CacheChanges? {
        feeds.add()
    }
}

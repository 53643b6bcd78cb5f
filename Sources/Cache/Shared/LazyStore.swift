import Synchronization

/// A store that is opened at its first use.
///
/// If it cannot be opened, a memory store takes its place. Opening is retried at most once a second, and for each
/// removal. When the store opens, the changes made meanwhile are written to it. A removal throws if it cannot reach
/// entries that may exist, because they would reappear.
final class LazyStore: CacheStore {
    private typealias Waiter = CheckedContinuation<Void, Never>

    private enum State {
        case closed

        /// A caller opens the store. The other callers wait.
        case opening([Waiter])

        case open(any CacheStore)
        case replaced(Substitute)
    }

    /// The store that a call goes to.
    private enum Target {
        case store(any CacheStore)
        case memory(Substitute)
    }

    /// The next step of a caller that needs a target.
    private enum Step {
        case use(Target)
        case wait
        case open(former: Substitute?)
    }

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

    // MARK: Opening

    /// Returns the store that a call goes to now.
    ///
    /// - Parameter isRemoval: Retries to open the store even if that has just failed.
    private nonisolated(nonsending) func target(isRemoval: Bool = false) async -> Target {
        var isForced = isRemoval
        while true {
            let now = now()
            switch state.withLock({ Self.step(&$0, now: now, isForced: isForced) }) {
            case .use(let target): return target
            case .wait: await wait()
            case .open(let former):
                isForced = false
                await reopen(former)
            }
        }
    }

    private static func step(_ state: inout State, now: Int, isForced: Bool) -> Step {
        switch state {
        case .open(let store): return .use(.store(store))
        case .opening: return .wait
        case .replaced(let substitute) where !isForced && now < substitute.due: return .use(.memory(substitute))
        case .replaced(let substitute):
            state = .opening([])
            return .open(former: substitute)
        case .closed:
            state = .opening([])
            return .open(former: nil)
        }
    }

    private nonisolated(nonsending) func wait() async {
        await withCheckedContinuation { (waiter: Waiter) in
            let isWaiting = state.withLock { state in
                guard case .opening(let waiters) = state else { return false }
                state = .opening(waiters + [waiter])
                return true
            }
            if !isWaiting { waiter.resume() }
        }
    }

    /// Opens the store without holding a lock, then resumes the waiting callers.
    private nonisolated(nonsending) func reopen(_ former: Substitute?) async {
        let new: State
        do {
            let store = try await IO.run { [open] in try open() }
            try await former?.move(to: store)
            new = .open(store)
            feeds.follow(store)
        } catch {
            let substitute = Substitute(replacing: former, error: error, due: now() + Substitute.interval)
            new = .replaced(substitute)
            if former == nil {
                report(.fellBack(reason: "\(error)"))
            }
        }
        let waiters = state.withLock { state in
            defer { state = new }
            if case .opening(let waiters) = state { return waiters }
            return []
        }
        for waiter in waiters { waiter.resume() }
    }

    // MARK: Memory in the place of the store

    /// Makes a change in the store, or in memory with a record of the change for the store.
    private nonisolated(nonsending) func change<Result>(
        _ change: Substitute.Change, _ body: (any CacheStore) async throws -> Result
    ) async throws -> Result {
        while true {
            switch await target(isRemoval: change.isRemoval) {
            case .store(let store): return try await body(store)
            case .memory(let substitute):
                let result = try await body(substitute.memory)
                // If the store was opened meanwhile, memory may have been copied before. Then make the change in the
                // store.
                guard note(change, in: substitute) else { continue }
                if change.isRemoval, mayHoldEntries() { throw substitute.refusal }
                return result
            }
        }
    }

    private func note(_ change: Substitute.Change, in substitute: Substitute) -> Bool {
        state.withLock { state in
            guard case .replaced(let current) = state, current.memory === substitute.memory else { return false }
            var noted = current
            noted.note(change)
            state = .replaced(noted)
            return true
        }
    }

    private nonisolated(nonsending) func read<Result>(
        _ body: (any CacheStore) async throws -> Result
    ) async throws -> Result {
        switch await target() {
        case .store(let store): try await body(store)
        case .memory(let substitute): try await body(substitute.memory)
        }
    }

    // MARK: CacheStore

    nonisolated(nonsending) func get(_ key: CacheKey) async throws -> CacheEntry? {
        if case .open(let store)? = state.withLockIfAvailable({ $0 }) { return try await store.get(key) }
        return try await read { try await $0.get(key) }
    }

    nonisolated(nonsending) func set(_ entry: CacheEntry, for key: CacheKey) async throws {
        try await change(.keys([key])) { try await $0.set(entry, for: key) }
    }

    nonisolated(nonsending) func remove(_ key: CacheKey) async throws {
        try await change(.removal([key])) { try await $0.remove(key) }
    }

    nonisolated(nonsending) func removeAll(progress: @escaping @Sendable (CacheProgress) -> Void) async throws {
        try await change(.removalOfAll) { try await $0.removeAll(progress: progress) }
    }

    func entries() -> CacheEntries {
        CacheEntries { [self] in
            try await read { store in try await store.entries().first() }
        }
    }

    nonisolated(nonsending) func getMany(_ keys: [CacheKey]) async throws -> [CacheEntry?] {
        try await read { try await $0.getMany(keys) }
    }

    nonisolated(nonsending) func setMany(_ entries: [(key: CacheKey, entry: CacheEntry)]) async throws {
        try await change(.keys(entries.map(\.key))) { try await $0.setMany(entries) }
    }

    nonisolated(nonsending) func removeMany(_ keys: [CacheKey]) async throws {
        try await change(.removal(keys)) { try await $0.removeMany(keys) }
    }

    nonisolated(nonsending) func remove(tag: String) async throws -> Int {
        try await change(.removalOfSome) { try await $0.remove(tag: tag) }
    }

    nonisolated(nonsending) func remove(prefix: CacheKey) async throws -> Int {
        try await change(.removalOfSome) { try await $0.remove(prefix: prefix) }
    }

    nonisolated(nonsending) func remove(olderThan age: Duration) async throws -> Int {
        try await change(.removalOfSome) { try await $0.remove(olderThan: age) }
    }

    nonisolated(nonsending) func statistics() async throws -> CacheStatistics {
        try await read { try await $0.statistics() }
    }

    nonisolated(nonsending) func reader(for key: CacheKey) async throws -> CacheReader? {
        try await read { try await $0.reader(for: key) }
    }

    nonisolated(nonsending) func writer(for key: CacheKey, entry: CacheEntry) async throws -> CacheWriter {
        switch await target() {
        case .store(let store): return try await store.writer(for: key, entry: entry)
        case .memory:
            // A committed entry goes to the target at that time.
            return CacheWriter(buffering: entry) { entry in try await self.set(entry, for: key) }
        }
    }

    // MARK: Several processes

    var hasHistory: Bool { true }

    nonisolated(nonsending) func moment() async throws -> CacheMoment? {
        try await read { try await $0.moment() }
    }

    nonisolated(nonsending) func set(
        _ entry: CacheEntry, for key: CacheKey, unlessRemovedSince moment: CacheMoment
    ) async throws -> Bool {
        switch await target() {
        case .store(let store): try await store.set(entry, for: key, unlessRemovedSince: moment)
        // Memory does not know what was removed since a moment of the store.
        case .memory: false
        }
    }

    /// Returns the changes of the store. They begin when it opens.
    func changes() -> CacheChanges? {
        feeds.add()
    }
}

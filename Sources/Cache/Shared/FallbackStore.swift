import Synchronization

/// A store in memory in the place of a ``LazyStore`` that cannot be opened, with a record of the changes made meanwhile.
final class FallbackStore: CacheStore {
    private struct State {
        var changed: Set<CacheKey> = []
        var isEmptied = false
        /// A Boolean value that indicates whether changes are recorded. If not, they are being moved, and the store
        /// that takes over has to make later ones.
        var isUsed = true
        /// The reason why the store cannot be opened.
        var error: (any Error)?
    }

    /// The highest number of changed keys to remember. Beyond it, the store is emptied once it opens.
    static let most = 10_000

    private let memory = MemoryStore()
    private let state = Mutex(State())
    private let mayHoldEntries: @Sendable () -> Bool
    private let successor: @Sendable () async -> (any CacheStore)?

    /// - Parameters:
    ///   - mayHoldEntries: Returns whether the store that cannot be opened may contain entries.
    ///   - successor: Returns the store that takes over.
    init(
        mayHoldEntries: @escaping @Sendable () -> Bool, successor: @escaping @Sendable () async -> (any CacheStore)?
    ) {
        self.mayHoldEntries = mayHoldEntries
        self.successor = successor
    }

    /// Takes the place of the store, because that cannot be opened.
    func use(because error: any Error) {
        state.withLock { state in
            state.isUsed = true
            state.error = error
        }
    }

    /// Makes the changes in the store that has opened.
    func move(to store: any CacheStore) async throws {
        let (changed, isEmptied) = state.withLock { state in
            state.isUsed = false
            return (state.changed, state.isEmptied)
        }
        var keys = Array(changed)
        if isEmptied {
            try await store.removeAll()
            for try await item in memory.entries() { keys.append(item.key) }
        }
        try await store.removeMany(keys.filter { memory.peek($0, isUse: false) == nil })
        for key in keys {
            guard let entry = memory.peek(key, isUse: false) else { continue }
            do {
                try await store.set(entry, for: key)
            } catch let error as CacheError where error.code == .tooLarge || error.code == .full {
                // The store has less room than memory. An older entry must not reappear.
                try await store.remove(key)
            }
        }
    }

    /// Records a change of memory. Returns nil, or the store in which the change must be made too.
    ///
    /// Memory may have been moved before the change, if the store was opened meanwhile.
    private nonisolated(nonsending) func note(_ keys: [CacheKey], isOfAll: Bool = false) async -> (any CacheStore)? {
        let isNoted = state.withLock { state in
            guard state.isUsed else { return false }
            state.changed.formUnion(keys)
            if isOfAll || state.changed.count > Self.most { state.isEmptied = true }
            if state.isEmptied { state.changed = [] }
            return true
        }
        return isNoted ? nil : await successor()
    }

    /// Records a removal. Throws if it has not reached entries that may exist. Of a removal by tag, prefix or age, only
    /// the store knows the entries.
    private nonisolated(nonsending) func noteRemoval(
        of keys: [CacheKey] = [], isOfAll: Bool = false
    ) async throws -> (any CacheStore)? {
        if let store = await note(keys, isOfAll: isOfAll) { return store }
        if let error = state.withLock(\.error), mayHoldEntries() { throw CacheError(notRemoved: error) }
        return nil
    }

    // MARK: CacheStore

    nonisolated(nonsending) func get(_ key: CacheKey) async throws -> CacheEntry? {
        memory.peek(key)
    }

    nonisolated(nonsending) func set(_ entry: CacheEntry, for key: CacheKey) async throws {
        try memory.put(entry, for: key)
        try await note([key])?.set(entry, for: key)
    }

    nonisolated(nonsending) func remove(_ key: CacheKey) async throws {
        try await removeMany([key])
    }

    nonisolated(nonsending) func removeMany(_ keys: [CacheKey]) async throws {
        for key in keys { memory.drop(key) }
        try await noteRemoval(of: keys)?.removeMany(keys)
    }

    nonisolated(nonsending) func removeAll(progress: @escaping @Sendable (CacheProgress) -> Void) async throws {
        try await memory.removeAll(progress: progress)
        try await noteRemoval(isOfAll: true)?.removeAll(progress: progress)
    }

    nonisolated(nonsending) func remove(tag: String) async throws -> Int {
        let count = memory.drop(tag: tag)
        return try await noteRemoval()?.remove(tag: tag) ?? count
    }

    nonisolated(nonsending) func remove(prefix: CacheKey) async throws -> Int {
        let count = memory.drop(prefix: prefix)
        return try await noteRemoval()?.remove(prefix: prefix) ?? count
    }

    nonisolated(nonsending) func remove(olderThan age: Duration) async throws -> Int {
        let count = memory.drop(olderThan: age)
        return try await noteRemoval()?.remove(olderThan: age) ?? count
    }

    func entries() -> CacheEntries {
        memory.entries()
    }

    nonisolated(nonsending) func statistics() async throws -> CacheStatistics {
        memory.numbers
    }

    /// Returns a writer whose entry goes to the store that there is at its commit.
    nonisolated(nonsending) func writer(for key: CacheKey, entry: CacheEntry) async throws -> CacheWriter {
        CacheWriter(buffering: entry) { [successor] entry in try await successor()?.set(entry, for: key) }
    }

    /// Memory does not know what was removed since a moment of the store.
    nonisolated(nonsending) func set(
        _ entry: CacheEntry, for key: CacheKey, unlessRemovedSince moment: CacheMoment
    ) async throws -> Bool {
        false
    }
}

extension CacheError {
    /// The error of a removal that could not reach a store.
    init(notRemoved error: any Error) {
        self.init(
            (error as? CacheError)?.code ?? .system,
            "The entries on disk were not removed, because the disk cannot be used. Try again later. \(error)",
            underlying: error)
    }
}

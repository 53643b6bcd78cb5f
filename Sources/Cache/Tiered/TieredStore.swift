import Synchronization

/// A ``MemoryStore`` in front of any other store.
///
/// ```swift
/// let store = TieredStore(memory: MemoryStore(limits: CacheLimits(bytes: 16 << 20)), over: disk)
/// let entry = if let entry = store.peek("a") { entry } else { try await store.get("a") }
/// ```
///
/// Each write goes to the backing store first, and then to memory. A read that finds an entry only in the backing store
/// copies it to memory. If several callers read one key at once, one of them reads the backing store and the others
/// wait for its result. Cancelling one caller does not affect the others.
///
/// Memory and the backing store always agree, even if reads and writes overlap. An overtaken read is not stored in
/// memory, nor is either of two overlapping writes of one key. This holds if all changes go through this store. If another
/// process changes the backing store, memory forgets the entry as soon as the backing store reports that: see
/// ``CacheStore/changes()``. If the backing store evicts an entry by itself, memory may still return it for a while.
///
/// Pins apply to the backing store. Memory may evict pinned entries, because the backing store still has them.
public final class TieredStore: CacheStore {
    enum WaitResult: Sendable {
        case found(CacheEntry?)
        case failed(any Error)
        /// The caller that led the load was cancelled. The waiter must lead it.
        case lead(Int)
        /// The waiter was cancelled.
        case left
        /// The load had ended before the waiter could join. Start again.
        case again
    }

    struct State {
        var inFlight = LoadsInFlight<CheckedContinuation<WaitResult, Never>>()
        var hits = 0
        var misses = 0
        /// Forgets what other processes change.
        var following: Task<Void, Never>?
    }

    /// The memory store.
    public let memory: MemoryStore

    /// The backing store.
    public let backing: any CacheStore

    // Locked after the memory store, never before it.
    let state = Mutex(State())

    /// Creates a store that puts memory in front of another store.
    ///
    /// - Parameters:
    ///   - memory: The memory store. If the backing store limits the age of entries, set the same limit here. It is
    ///     emptied if the backing store reports changes.
    ///   - backing: The backing store.
    public init(memory: MemoryStore = MemoryStore(), over backing: any CacheStore) {
        self.memory = memory
        self.backing = backing
        if let changes = backing.changes() {
            memory.dropAll()
            let following = Self.follow(changes, for: self)
            state.withLock { $0.following = following }
        }
    }

    deinit {
        state.withLock { $0.following }?.cancel()
    }

    /// Returns the entry under a key if it is in memory.
    public func peek(_ key: CacheKey) -> CacheEntry? {
        memory.peek(key)
    }

    /// Returns the entries of the backing store.
    public func entries() -> CacheEntries {
        backing.entries()
    }

    /// Returns the size of the backing store, and the hits and misses of both tiers together.
    public nonisolated(nonsending) func statistics() async throws -> CacheStatistics {
        var statistics = try await backing.statistics()
        let (hits, misses) = state.withLock { ($0.hits, $0.misses) }
        statistics.hits = memory.numbers.hits + hits
        statistics.misses = misses
        return statistics
    }
}

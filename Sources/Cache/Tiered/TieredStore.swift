import Synchronization

/// A ``MemoryStore`` in front of any other store.
///
/// ```swift
/// let store = TieredStore(memory: MemoryStore(limits: CacheLimits(bytes: 16 << 20)), over: disk)
/// let entry = if let entry = store.peek("a") { entry } else { try await store.get("a") }
/// ```
///
/// Everything is written through: an entry is stored once the store behind has accepted it, and only then kept in memory.
/// What is found behind is kept in memory for the next time. However many ask for a key at once, one of them reads it,
/// and the others wait for that; who is cancelled leaves the others alone.
///
/// Memory never has anything else than the store behind would answer, whatever overlaps with whatever: a read that a
/// write has overtaken is not kept, and of two writes of one key at a time neither is. That holds as long as all changes
/// go through this store; what is removed behind its back, or goes there for want of room, may be answered from memory
/// for a while.
///
/// Pinned entries are pinned behind. In memory they give way like any other, as nothing is lost by it.
public final class TieredStore: CacheStore {
    /// What those who wait for a load are told.
    enum Turn: Sendable {
        case found(CacheEntry?)
        case failed(any Error)
        /// Whoever led the load was cancelled: lead it.
        case lead(Int)
        /// The waiter was cancelled.
        case left
        /// The load had ended before the waiter could join: begin anew.
        case again
    }

    struct State {
        var flights = Flights<CheckedContinuation<Turn, Never>>()
        var hits = 0
        var misses = 0
    }

    /// The store in front.
    public let memory: MemoryStore

    /// The store behind.
    public let backing: any CacheStore

    /// Taken with the memory store locked, never the other way round.
    let state = Mutex(State())

    /// A store in front of another.
    ///
    /// - Parameters:
    ///   - memory: The store in front. If the one behind limits the age of entries, give this one the same limit.
    ///   - backing: The store behind.
    public init(memory: MemoryStore = MemoryStore(), over backing: any CacheStore) {
        self.memory = memory
        self.backing = backing
    }

    /// The entry under a key if it is in memory.
    public func peek(_ key: CacheKey) -> CacheEntry? {
        memory.peek(key)
    }

    /// The entries of the store behind.
    public func entries() -> CacheEntries {
        backing.entries()
    }

    /// What the store behind holds, and the reads that either tier has answered.
    public nonisolated(nonsending) func statistics() async throws -> CacheStatistics {
        var statistics = try await backing.statistics()
        let (hits, misses) = state.withLock { ($0.hits, $0.misses) }
        statistics.hits = memory.numbers.hits + hits
        statistics.misses = misses
        return statistics
    }
}

import Synchronization
import TangoCache

/// The state of a ``RedisStore`` and its connections, and its counters since it was opened.
public struct RedisHealth: Sendable {
    /// A Boolean value that indicates whether the server replies. While it is false, operations fail at once.
    public internal(set) var isReachable = false

    /// The number of connections that were made.
    public internal(set) var connects = 0

    /// The number of times that the server became unreachable.
    public internal(set) var outages = 0

    /// The number of outages because an operation exceeded the budget.
    public internal(set) var timeouts = 0

    /// The number of operations that failed at once, because the server was known to be unreachable.
    public internal(set) var refused = 0

    /// The number of entries that were damaged and removed.
    public internal(set) var damaged = 0

    /// The number of times that the feed of changes was interrupted.
    public internal(set) var interruptedFeeds = 0

    /// The number of removals that have failed and are repeated until they succeed. The entries that they are for stay
    /// hidden.
    public internal(set) var owedRemovals = 0

    /// The number of reads that found an entry.
    public internal(set) var hits = 0

    /// The number of reads that found none.
    public internal(set) var misses = 0

    /// The reason of the last outage.
    public internal(set) var lastFailure: CacheError?

    /// The reason for which changes of other processes do not arrive; nil if they do, or if no one follows them.
    ///
    /// Without them, memory in front of the store can serve what another process has removed.
    public internal(set) var feedFailure: CacheError?
}

/// The counters of a store. Any thread changes them.
final class Health: Sendable {
    private let state = Mutex(RedisHealth())
    // The counters of operations. They need no lock.
    private let hits = Atomic(0)
    private let misses = Atomic(0)
    private let refused = Atomic(0)

    var value: RedisHealth {
        var value = state.withLock { $0 }
        value.hits = hits.load(ordering: .relaxed)
        value.misses = misses.load(ordering: .relaxed)
        value.refused = refused.load(ordering: .relaxed)
        return value
    }

    func count(_ counter: WritableKeyPath<RedisHealth, Int> & Sendable) {
        state.withLock { $0[keyPath: counter] += 1 }
    }

    func countReads(hits: Int, misses: Int) {
        if hits > 0 { self.hits.wrappingAdd(hits, ordering: .relaxed) }
        if misses > 0 { self.misses.wrappingAdd(misses, ordering: .relaxed) }
    }

    /// Counts an operation that failed at once.
    func refuse() {
        refused.wrappingAdd(1, ordering: .relaxed)
    }

    func owe(_ number: Int) {
        state.withLock { $0.owedRemovals = number }
    }

    /// Counts a connection.
    func connected(isFeed: Bool) {
        var failure: CacheError?
        state.withLock { state in
            state.connects += 1
            if isFeed { swap(&state.feedFailure, &failure) } else { state.isReachable = true }
        }
        withExtendedLifetime(failure) {}
    }

    /// Counts the loss of a connection, or an attempt that failed.
    func failed(_ failure: CacheError, isFeed: Bool, wasConnected: Bool) {
        var failure = Optional(failure)
        state.withLock { state in
            if isFeed {
                if wasConnected { state.interruptedFeeds += 1 }
                swap(&state.feedFailure, &failure)
                return
            }
            if state.isReachable { state.outages += 1 }
            state.isReachable = false
            // Later attempts to connect fail for the same reason, unless the server refuses them.
            guard wasConnected || state.lastFailure == nil || failure?.code == .refused else { return }
            swap(&state.lastFailure, &failure)
        }
        withExtendedLifetime(failure) {}
    }
}

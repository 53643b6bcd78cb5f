import Synchronization

/// The rows that were read and are not recorded in the database yet.
///
/// Recording is a write, and a write invalidates the page caches of all readers. So a row is recorded once until the
/// hand of the clock moves. While the store is far from full and the hand does not move, no row is recorded.
final class RecentReads: Sendable {
    private struct State {
        var pending: Set<Int64> = []
        var noted: Set<Int64> = []
    }

    /// The number of rows to record together.
    static let batch = 512

    /// The highest number of recorded rows to remember.
    private static let memory = 1 << 16

    private let state = Mutex(State())
    private let isNeeded = Atomic(false)

    /// Adds a row. Returns true if it is time to record the pending rows.
    @inline(__always)
    func add(_ id: Int64) -> Bool {
        isNeeded.load(ordering: .relaxed) && record(id)
    }

    private func record(_ id: Int64) -> Bool {
        state.withLock { state in
            !state.noted.contains(id) && state.pending.insert(id).inserted
                && state.pending.count.isMultiple(of: Self.batch)
        }
    }

    /// Removes and returns the pending rows.
    func take() -> Set<Int64> {
        state.withLock { state in
            let pending = state.pending
            state.pending.removeAll(keepingCapacity: true)
            if state.noted.count + pending.count > Self.memory { state.noted = [] }
            state.noted.formUnion(pending)
            return pending
        }
    }

    /// Updates the state of the store: its size, and whether the hand has moved.
    func observe(_ totals: Totals, _ limits: CacheLimits, handMoved: Bool) {
        isNeeded.store(totals.exceed(limits.lowered(by: 4)), ordering: .relaxed)
        if handMoved { state.withLock { $0.noted = [] } }
    }
}

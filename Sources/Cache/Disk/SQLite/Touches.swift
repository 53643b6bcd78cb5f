import Synchronization

/// The rows that were read and not noted in the database yet.
///
/// Noting is a write, and a write costs all readers the pages that they keep in memory. So a row is noted once, until the
/// hand of the clock moves, and none is while the store is far from full and the hand stands still.
final class Touches: Sendable {
    private struct State {
        var pending: Set<Int64> = []
        var noted: Set<Int64> = []
    }

    /// So many are noted together.
    static let batch = 512

    /// More are not remembered as noted.
    private static let memory = 1 << 16

    private let state = Mutex(State())
    private let isNeeded = Atomic(false)

    /// Adds a row; true if it is time to note all that are pending.
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

    /// Takes all that are pending, to be noted.
    func take() -> Set<Int64> {
        state.withLock { state in
            let pending = state.pending
            state.pending.removeAll(keepingCapacity: true)
            if state.noted.count + pending.count > Self.memory { state.noted = [] }
            state.noted.formUnion(pending)
            return pending
        }
    }

    /// Takes up what has become of the store: how full it is, and whether the hand has moved.
    func observe(_ totals: Totals, _ limits: CacheLimits, handMoved: Bool) {
        isNeeded.store(totals.exceed(limits.lowered(by: 4)), ordering: .relaxed)
        if handMoved { state.withLock { $0.noted = [] } }
    }
}

import Synchronization

/// The rows that were read and not noted in the database yet.
///
/// A row that has been noted need not be noted again before the hand of the clock passes it. So what is read over and
/// over costs no writes, each of which would also make all readers read their pages anew.
final class Touches: Sendable {
    /// So many are noted together.
    static let batch = 512

    /// After so many seconds, what was noted may have been undone by another process.
    private static let memory = 60

    /// More than so many are not remembered.
    private static let most = 65_536

    private struct State {
        var known: Set<Int64> = []
        var fresh: [Int64] = []
        var since = CoarseClock.seconds
    }

    private let state = Mutex(State())

    /// Adds a row; true if it is time to note them all.
    @inline(__always)
    func add(_ id: Int64) -> Bool {
        let now = CoarseClock.seconds
        return state.withLock { state in
            if now &- state.since > Self.memory || state.known.count >= Self.most { Self.forget(&state, now) }
            guard state.known.insert(id).inserted else { return false }
            state.fresh.append(id)
            return state.fresh.count == Self.batch
        }
    }

    /// Takes all that are not noted yet.
    func take() -> [Int64] {
        state.withLock { state in
            defer { state.fresh.removeAll(keepingCapacity: true) }
            return state.fresh
        }
    }

    /// What was noted is no longer in the database.
    func forget() {
        state.withLock { state in Self.forget(&state, CoarseClock.seconds) }
    }

    private static func forget(_ state: inout State, _ now: Int) {
        state.known.removeAll(keepingCapacity: true)
        state.since = now
    }
}

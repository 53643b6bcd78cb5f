import Synchronization
import TangoCache

/// What has been removed lately, so that an answer that was on its way meanwhile is not kept: it may be from before the change
/// that made the rest obsolete, or for somebody who has signed out.
final class Changes: Sendable {
    /// How many are remembered one by one. Whoever began before the first of them keeps nothing.
    private static let limit = 64

    private struct State {
        var last = 0
        /// Up to this, everything counts as removed.
        var floor = 0
        var recent: [(number: Int, prefix: CacheKey)] = []
    }

    private let state = Mutex(State())

    /// Now, on a scale of changes.
    var mark: Int { state.withLock(\.last) }

    /// Everything whose key begins like this is being removed.
    func note(_ prefix: CacheKey) {
        state.withLock { state in
            state.last += 1
            state.recent.append((state.last, prefix))
            if state.recent.count > Self.limit { state.floor = state.recent.removeFirst().number }
        }
    }

    /// Everything is being removed.
    func noteAll() {
        state.withLock { state in
            state.last += 1
            state.floor = state.last
            state.recent = []
        }
    }

    /// Whether what has this key was removed, or may have been, after a mark.
    func hasRemoved(_ key: CacheKey, since mark: Int) -> Bool {
        state.withLock { state in
            guard state.last > mark else { return false }
            return state.floor > mark || state.recent.contains { $0.number > mark && key.hasPrefix($0.prefix) }
        }
    }
}

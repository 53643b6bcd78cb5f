import Synchronization
import TangoCache

/// What has been removed lately, so that an answer that was on its way meanwhile is not kept: it may be from before the change
/// that made the rest obsolete, or for somebody who has signed out.
final class Changes: Sendable {
    /// How many are remembered one by one. Whoever began before the first of them keeps nothing: so many that this is rare
    /// where one slow answer is on its way while many others change something.
    static let limit = 4096

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
            // Who notes it before and after is remembered once.
            if let place = state.recent.indices.last, state.recent[place].prefix == prefix {
                return state.recent[place].number = state.last
            }
            state.recent.append((state.last, prefix))
            guard state.recent.count > Self.limit else { return }
            // Many at once, so that the rest does not move each time.
            let gone = Self.limit / 2
            state.floor = state.recent[gone - 1].number
            state.recent.removeFirst(gone)
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
            if state.floor > mark { return true }
            for change in state.recent.reversed() {
                guard change.number > mark else { return false }
                if key.hasPrefix(change.prefix) { return true }
            }
            return false
        }
    }
}

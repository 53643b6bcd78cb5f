import Synchronization
import TangoCache

/// What has been removed lately, so that an answer that was on its way meanwhile is not kept: it may be from before the change
/// that made the rest obsolete, or for somebody who has signed out.
final class Changes: Sendable {
    /// How many are remembered one by one. Whoever began before the first of them keeps nothing: so many that this is rare
    /// where one slow answer is on its way while many others change something.
    static let limit = 4096

    private enum Scope: Equatable {
        case key(CacheKey)
        case prefix(CacheKey)
        case all

        func covers(_ key: CacheKey) -> Bool {
            switch self {
            case .key(let one): key == one
            case .prefix(let prefix): key.hasPrefix(prefix)
            case .all: true
            }
        }
    }

    private struct State {
        var last = 0
        /// Up to this, everything counts as removed.
        var floor = 0
        var recent: [(number: Int, scope: Scope)] = []
        /// What is being removed now.
        var current: [Int: Scope] = [:]
        /// What could not be removed.
        var owed: [CacheKey] = []

        mutating func note(_ scope: Scope) {
            last += 1
            guard scope != .all else {
                floor = last
                recent = []
                return
            }
            // Who notes it before and after is remembered once.
            if let place = recent.indices.last, recent[place].scope == scope { return recent[place].number = last }
            recent.append((last, scope))
            guard recent.count > Changes.limit else { return }
            // Many at once, so that the rest does not move each time.
            let gone = Changes.limit / 2
            floor = recent[gone - 1].number
            recent.removeFirst(gone)
        }
    }

    private let state = Mutex(State())

    /// Now, on a scale of changes.
    var mark: Int { state.withLock(\.last) }

    /// What has this key is being removed, or replaced.
    func note(_ key: CacheKey) {
        state.withLock { $0.note(.key(key)) }
    }

    /// Removes everything whose key begins like this, or everything. Until that has ended nobody can tell what of it has
    /// been found before, and whoever began in between may have found it still.
    func removing(_ prefix: CacheKey?, _ work: () async throws -> Void) async rethrows {
        let scope = prefix.map(Scope.prefix) ?? .all
        let number = state.withLock { state in
            state.note(scope)
            state.current[state.last] = scope
            return state.last
        }
        defer {
            state.withLock { state in
                state.note(scope)
                state.current[number] = nil
            }
        }
        try await work()
    }

    /// Everything whose key begins like this should have been removed, and was not, or was after all.
    func owe(_ prefix: CacheKey, _ isOwed: Bool) {
        state.withLock { state in
            if !state.owed.isEmpty { state.owed.removeAll { $0 == prefix } }
            if isOwed { state.owed = state.owed.suffix(Self.limit - 1) + [prefix] }
        }
    }

    /// What is to be removed before anybody looks at what has this key.
    func owed(for key: CacheKey) -> CacheKey? {
        state.withLock { $0.owed.first { key.hasPrefix($0) } }
    }

    /// Whether what has this key was removed, or may have been, after a mark, or is being removed.
    func hasRemoved(_ key: CacheKey, since mark: Int) -> Bool {
        state.withLock { state in
            if state.current.values.contains(where: { $0.covers(key) }) { return true }
            guard state.last > mark else { return false }
            if state.floor > mark { return true }
            for change in state.recent.reversed() {
                guard change.number > mark else { return false }
                if change.scope.covers(key) { return true }
            }
            return false
        }
    }
}

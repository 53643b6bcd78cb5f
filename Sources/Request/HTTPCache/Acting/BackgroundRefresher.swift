import Synchronization
import TangoCache

/// Asks servers again for answers that were given stale, behind the back of the calls that they were given to.
///
/// One at a time for what is the same, and no more than a few in all: whoever comes when there are too many leaves it to
/// the next one who is given a stale answer. Shutting down ends those under way and refuses others.
final class BackgroundRefresher: Sendable {
    private struct State {
        var tasks: [CacheKey: Task<Void, Never>] = [:]
        var isShutDown = false
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int = 4) {
        self.limit = limit
    }

    /// Starts work in a task of its own, unless it is under way already. Returns whether it did.
    @discardableResult
    func start(_ key: CacheKey, _ work: @escaping @Sendable () async -> Void) -> Bool {
        state.withLock { state in
            guard !state.isShutDown, state.tasks[key] == nil, state.tasks.count < limit else { return false }
            state.tasks[key] = Task { [weak self] in
                await work()
                self?.end(key)
            }
            return true
        }
    }

    private func end(_ key: CacheKey) {
        state.withLock { _ = $0.tasks.removeValue(forKey: key) }
    }

    /// How many are under way.
    var count: Int { state.withLock { $0.tasks.count } }

    /// Cancels all that are under way, and returns when they have ended.
    func shutdown() async {
        let tasks = state.withLock { state in
            state.isShutDown = true
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }
}

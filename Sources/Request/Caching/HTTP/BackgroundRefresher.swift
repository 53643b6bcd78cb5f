import Synchronization
import TangoCache

/// Asks servers again for answers that were given stale, behind the back of the calls that they were given to.
///
/// One at a time for what is the same, and no more than a few in all, while others wait for their turn: whoever comes when
/// very many wait leaves it to the next one who is given a stale answer. Shutting down ends those under way and refuses others.
final class BackgroundRefresher: Sendable {
    /// What is done, or only told, where it is not wanted any more when its turn comes.
    typealias Work = @Sendable (_ isWanted: Bool) async -> Void

    private struct State {
        var tasks: [CacheKey: Task<Void, Never>] = [:]
        var waiting: [(key: CacheKey, work: Work)] = []
        var waitingKeys: Set<CacheKey> = []
        var isShutDown = false

        mutating func takeWaiting() -> [(key: CacheKey, work: Work)] {
            defer {
                waiting = []
                waitingKeys = []
            }
            return waiting
        }
    }

    /// How many may wait.
    static let patience = 256

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int = 4) {
        self.limit = limit
    }

    /// Does work in a task of its own, now or in its turn, unless that is so already. Returns whether it will.
    @discardableResult
    func start(_ key: CacheKey, _ work: @escaping Work) -> Bool {
        state.withLock { state in
            guard !state.isShutDown, state.tasks[key] == nil, !state.waitingKeys.contains(key) else { return false }
            if state.tasks.count < limit {
                begin(key, work, in: &state)
            } else {
                guard state.waiting.count < Self.patience else { return false }
                state.waiting.append((key, work))
                state.waitingKeys.insert(key)
            }
            return true
        }
    }

    private func begin(_ key: CacheKey, _ work: @escaping Work, in state: inout State) {
        // Detached, because what comes next has nothing to do with what has ended.
        state.tasks[key] = Task.detached { [weak self] in
            await work(true)
            self?.end(key)
        }
    }

    private func end(_ key: CacheKey) {
        state.withLock { state in
            state.tasks[key] = nil
            guard !state.isShutDown, !state.waiting.isEmpty else { return }
            let (next, work) = state.waiting.removeFirst()
            state.waitingKeys.remove(next)
            begin(next, work, in: &state)
        }
    }

    /// How many are under way.
    var count: Int { state.withLock { $0.tasks.count } }

    /// Cancels all that are under way, and returns when they have ended.
    func shutdown() async {
        let (tasks, waiting) = state.withLock { state in
            state.isShutDown = true
            return (Array(state.tasks.values), state.takeWaiting())
        }
        for task in tasks { task.cancel() }
        for (_, work) in waiting { await work(false) }
        for task in tasks { await task.value }
    }
}

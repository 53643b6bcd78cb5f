import Synchronization

/// A queue that refreshes cached responses in the background after they were served stale.
///
/// Each key has one refresh at a time. Only a few refreshes run at once, and further ones wait. When the queue is full,
/// a new refresh is dropped; the next call that gets the stale response requests it again. A shutdown cancels the
/// refreshes in flight, and rejects new ones.
final class BackgroundRefresher: Sendable {
    /// The work of a refresh. If `isWanted` is false after a shutdown, it only reports the cancellation.
    typealias Work = @Sendable (_ isWanted: Bool) async -> Void

    private struct State {
        var tasks: [CacheKey: Task<Void, Never>] = [:]
        var waiting: [(key: CacheKey, work: Work)] = []
        var isShutDown = false
    }

    /// The highest number of refreshes that wait.
    static let waitLimit = 256

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int = 4) {
        self.limit = limit
    }

    /// Starts or queues work, in a task of its own. Returns false if the key has work already, if the queue is full,
    /// and after a shutdown.
    @discardableResult
    func start(_ key: CacheKey, _ work: @escaping Work) -> Bool {
        state.withLock { state in
            guard !state.isShutDown, state.tasks[key] == nil, !state.waiting.contains(where: { $0.key == key })
            else { return false }
            if state.tasks.count < limit {
                begin(key, work, in: &state)
            } else {
                guard state.waiting.count < Self.waitLimit else { return false }
                state.waiting.append((key, work))
            }
            return true
        }
    }

    private func begin(_ key: CacheKey, _ work: @escaping Work, in state: inout State) {
        // Detached, so that the work inherits nothing from the task that has ended before.
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
            begin(next, work, in: &state)
        }
    }

    /// The number of refreshes in flight.
    var count: Int { state.withLock { $0.tasks.count } }

    /// Cancels all refreshes, and returns once those in flight have ended.
    func shutdown() async {
        let (tasks, waiting) = state.withLock { state in
            state.isShutDown = true
            return (Array(state.tasks.values), replace(&state.waiting, with: []))
        }
        for task in tasks { task.cancel() }
        for (_, work) in waiting { await work(false) }
        for task in tasks { await task.value }
    }
}

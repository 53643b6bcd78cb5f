import Synchronization

/// The followers of a store that is not open yet.
final class LazyFeeds: Sendable {
    private struct State {
        var sources: [Int: CacheChanges.Source] = [:]
        var tasks: [Int: Task<Void, Never>] = [:]
        var last = 0
        var store: (any CacheStore)?
        var isComplete = false
    }

    private let state = Mutex(State())

    func add() -> CacheChanges {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        var (changes, source) = CacheChanges.make { [weak self] in self?.leave(number) }
        // Before the store opens, there are no copies of its entries.
        changes.isComplete = { [weak self] in self?.state.withLock { $0.isComplete } ?? false }
        let store = state.withLock { state in
            state.sources[number] = source
            return state.store
        }
        if let store { start(number, source, store) }
        return changes
    }

    /// Passes on the changes of a store that has opened.
    func follow(_ store: any CacheStore) {
        let sources = state.withLock { state in
            state.store = store
            return state.sources
        }
        for (number, source) in sources { start(number, source, store) }
    }

    private func start(_ number: Int, _ source: CacheChanges.Source, _ store: any CacheStore) {
        guard let changes = store.changes() else { return source.finish() }
        state.withLock { $0.isComplete = changes.isComplete() }
        let task = Task.detached(priority: .utility) {
            for await change in changes { source.add(change) }
            source.finish()
        }
        let former = state.withLock { state -> Task<Void, Never>? in
            guard state.sources[number] != nil else { return task }
            defer { state.tasks[number] = task }
            return state.tasks[number]
        }
        former?.cancel()
    }

    private func leave(_ number: Int) {
        let (task, source) = state.withLock { state in
            (state.tasks.removeValue(forKey: number), state.sources.removeValue(forKey: number))
        }
        task?.cancel()
        withExtendedLifetime(source) {}
    }
}

import Synchronization

/// The followers of the changes of a folder. While there are any, a task looks for changes from time to time.
final class ChangeFeed: Sendable {
    private struct State {
        var sources: [Int: CacheChanges.Source] = [:]
        var last = 0
        var isRunning = false
        /// Every source has received its first change.
        var isCurrent = false
        var isFinished = false
    }

    private struct Reference: Sendable {
        weak let feed: ChangeFeed?
    }

    private let state = Mutex(State())

    /// Adds a follower.
    ///
    /// - Parameter makeFollower: Makes the object that looks for changes.
    func follow(_ makeFollower: () -> DiskStore.Follower) -> CacheChanges {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        var (changes, source) = CacheChanges.make { [weak self] in self?.leave(number) }
        let (starts, isCurrent, isFinished) = state.withLock { state in
            state.sources[number] = source
            defer { state.isRunning = true }
            return (!state.isRunning, state.isCurrent, state.isFinished)
        }
        var isComplete = isCurrent
        if isFinished {
            source.finish()
        } else if starts {
            let follower = makeFollower()
            isComplete = follower.begin()
            if isComplete { add([.all]) }
            let feed = Reference(feed: self)
            Task.detached(priority: .utility) { await Self.run(follower, feed) }
        } else if isCurrent {
            source.add(.all)
        }
        changes.isComplete = { [isComplete] in isComplete }
        return changes
    }

    func finish() {
        let sources = state.withLock { state in
            state.isFinished = true
            defer { state.sources = [:] }
            return state.sources
        }
        for source in sources.values { source.finish() }
    }

    private func leave(_ number: Int) {
        let former = state.withLock { $0.sources.removeValue(forKey: number) }
        withExtendedLifetime(former) {}
    }

    /// Looks for changes until there are no followers. Nothing is retained between two looks.
    private static func run(_ follower: DiskStore.Follower, _ reference: Reference) async {
        var schedule = FeedSchedule()
        var hasMissed = false
        while reference.feed?.goesOn() == true {
            var pause = FeedSchedule.alone
            do {
                var (changes, hasOthers) = try await IO.run { try follower.look() }
                if hasMissed { changes = [.all] }
                hasMissed = false
                pause = schedule.next(hasChanges: !changes.isEmpty, hasOthers: hasOthers)
                reference.feed?.add(changes)
            } catch let error as CacheError where error.code == .closed {
                return reference.feed?.finish() ?? ()
            } catch {
                hasMissed = true
            }
            try? await Task.sleep(for: pause, tolerance: pause / 2)
        }
    }

    /// Returns whether there are followers. If there are none, the task ends, and the next follower starts another.
    private func goesOn() -> Bool {
        state.withLock { state in
            if state.sources.isEmpty { (state.isRunning, state.isCurrent) = (false, false) }
            return state.isRunning
        }
    }

    private func add(_ changes: [CacheChange]) {
        guard !changes.isEmpty else { return }
        let sources = state.withLock { state in
            state.isCurrent = true
            return state.sources
        }
        for source in sources.values {
            for change in changes { source.add(change) }
        }
    }
}

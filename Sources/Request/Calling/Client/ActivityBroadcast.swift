import Synchronization

/// Tells its followers whether calls are in flight. Without followers, a change costs one load.
final class ActivityBroadcast: Sendable {
    private let isFollowed = Atomic<Bool>(false)
    private let broadcast = Broadcast(0, keepsAll: false)

    /// Delivers the number of calls after it has changed to zero, or from zero.
    func deliver(_ count: () -> Int) {
        guard isFollowed.load(ordering: .sequentiallyConsistent) else { return }
        broadcast.update { value in
            let new = count()
            guard (new == 0) != (value == 0) else { return false }
            value = new
            return true
        }
    }

    /// Returns the number now, and after each change to zero or from zero. Each value is such a change.
    func values(_ count: () -> Int) -> AsyncStream<Int> {
        // Before the number is read, so that no later change is missed.
        isFollowed.store(true, ordering: .sequentiallyConsistent)
        deliver(count)
        return broadcast.values.alternating
    }
}

extension AsyncStream<Int> {
    /// The numbers that follow zero, and each zero that follows another number. A slow reader misses values, so two in
    /// a row may be alike.
    fileprivate var alternating: Self {
        let last = Mutex<Bool?>(nil)
        return AsyncStream {
            var numbers = makeAsyncIterator()
            while let number = await numbers.next() {
                let isChange = last.withLock { replace(&$0, with: number == 0) != (number == 0) }
                if isChange { return number }
            }
            return nil
        }
    }
}

import TangoCache

/// Waiting until all changes have reached the store, or until jobs have finished.
extension StoreQueue {
    /// Adds a waiter for all present work. It waits for later work only if that replaces present work. Returns false if
    /// there is no work.
    mutating func wait(_ waiter: Waiter) -> Bool {
        let count =
            lines.values.count { $0.oldest != nil } + sweeps.count(where: \.isActive) + jobs.count
        guard count > 0 else { return false }
        waiters.append((lastNumber, count, waiter))
        return true
    }

    /// Begins a job that leads to a change of a key. Returns the number of the job.
    mutating func beginJob(_ key: CacheKey) -> Int {
        let number = nextNumber()
        jobs[number] = key
        return number
    }

    mutating func endJob(_ number: Int) -> Effects {
        guard let key = jobs.removeValue(forKey: number) else { return Effects() }
        var effects = advanced(from: number, to: nil)
        guard !jobs.values.contains(key) else { return effects }
        effects.waiters += jobWaiters.filter { $0.key == key }.map(\.waiter)
        jobWaiters.removeAll { $0.key == key }
        return effects
    }

    /// Adds a reader, with a number of its own, that waits for the jobs of a key. Returns false if there are none.
    mutating func waitForJobs(_ key: CacheKey, _ number: Int, _ waiter: Waiter) -> Bool {
        guard jobs.values.contains(key) else { return false }
        jobWaiters.append((key, number, waiter))
        return true
    }

    /// Ends the wait of a reader early.
    mutating func stopWaiting(_ number: Int) -> Effects {
        guard let place = jobWaiters.firstIndex(where: { $0.number == number }) else { return Effects() }
        return Effects(waiters: [jobWaiters.remove(at: place).waiter])
    }

    /// Records that a line, sweep or job has advanced from one change to a later one, or has no more work.
    mutating func advanced(from old: Int?, to new: Int?) -> Effects {
        guard let old, !waiters.isEmpty else { return Effects() }
        var done: [Waiter] = []
        for place in waiters.indices.reversed() {
            let last = waiters[place].last
            guard old <= last, new.map({ $0 > last }) ?? true else { continue }
            waiters[place].count -= 1
            if waiters[place].count == 0 { done.append(waiters.remove(at: place).waiter) }
        }
        return Effects(waiters: done)
    }
}

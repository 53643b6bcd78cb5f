import TangoCache

/// Waiting until everything has reached the store, or some work is done.
extension StoreQueue {
    /// Notes who waits for everything that there is now: not for what comes later, unless it takes the place of that. False if
    /// there is nothing.
    mutating func wait(_ waiter: Waiter) -> Bool {
        let count =
            lines.values.count { $0.oldest != nil } + sweeps.count(where: \.isActive) + jobs.count
        guard count > 0 else { return false }
        waiters.append((lastNumber, count, waiter))
        return true
    }

    /// Begins work that leads to a change of a key.
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

    /// Notes a reader, by a number of its own, that waits for the work under a key. False if there is none.
    mutating func waitForJobs(_ key: CacheKey, _ number: Int, _ waiter: Waiter) -> Bool {
        guard jobs.values.contains(key) else { return false }
        jobWaiters.append((key, number, waiter))
        return true
    }

    /// Has a reader wait no longer.
    mutating func stopWaiting(_ number: Int) -> Effects {
        guard let place = jobWaiters.firstIndex(where: { $0.number == number }) else { return Effects() }
        return Effects(waiters: [jobWaiters.remove(at: place).waiter])
    }

    /// Something has got from one change to a later one, or has nothing left to do.
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

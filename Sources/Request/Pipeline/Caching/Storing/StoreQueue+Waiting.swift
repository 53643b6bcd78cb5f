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

    /// Ends a job. The change that it has made takes its number, so that its waiters wait for the change as well.
    mutating func endJob(_ number: Int) -> Effects {
        guard let key = jobs.removeValue(forKey: number) else { return Effects() }
        var effects = endedJob(number, under: key)
        guard !jobs.values.contains(key) else { return effects }
        effects.waiters += jobWaiters.filter { $0.key == key }.map(\.waiter)
        jobWaiters.removeAll { $0.key == key }
        return effects
    }

    private mutating func endedJob(_ number: Int, under key: CacheKey) -> Effects {
        guard var line = lines[key], let oldest = line.oldest else { return advanced(from: number, to: nil) }
        if let first = line.first { line.first = min(first, number) }
        if let first = line.runningFirst { line.runningFirst = min(first, number) }
        lines[key] = line
        // A waiter that counts the line as well no longer counts the job.
        return resumed { oldest <= $0 && number <= $0 }
    }

    /// Adds a reader, with a number of its own, that waits for the jobs of a key. Returns false if there are none.
    mutating func waitForJobs(_ key: CacheKey, _ number: Int, _ waiter: Waiter) -> Bool {
        guard jobs.values.contains(key) else { return false }
        jobWaiters.append((key, number, waiter))
        return true
    }

    /// Ends the wait of a reader early.
    mutating func stopWaiting(_ number: Int) -> Effects {
        if let place = jobWaiters.firstIndex(where: { $0.number == number }) {
            return Effects(waiters: [jobWaiters.remove(at: place).waiter])
        }
        if let place = writeWaiters.firstIndex(where: { $0.number == number }) {
            return Effects(waiters: [writeWaiters.remove(at: place).waiter])
        }
        if let place = removalWaiters.firstIndex(where: { $0.number == number }) {
            return Effects(waiters: [removalWaiters.remove(at: place).waiter])
        }
        return Effects()
    }

    /// Adds a reader that waits until the store has accepted or refused an entry. Returns false if none is written.
    mutating func waitForWrite(of key: CacheKey, _ number: Int, _ waiter: Waiter) -> Bool {
        guard lines[key]?.hasUnwrittenEntry == true else { return false }
        writeWaiters.append((key, number, waiter))
        return true
    }

    /// Removes the readers that need no longer wait for a write. They wait for all changes that were made before they came.
    mutating func takeWriteWaiters(_ key: CacheKey) -> [Waiter] {
        guard !writeWaiters.isEmpty else { return [] }
        let oldest = lines[key]?.oldest ?? .max
        let done = writeWaiters.filter { $0.key == key && $0.number < oldest }
        writeWaiters.removeAll { $0.key == key && $0.number < oldest }
        return done.map(\.waiter)
    }

    /// Adds a request that waits until the present removals of its response have reached the store: those of its key
    /// and of its tags. Returns false if there are none.
    mutating func waitForRemovals(of key: CacheKey?, tags: Set<String>, _ number: Int, _ waiter: Waiter) -> Bool {
        guard isRemoving(key, tags, upTo: number) else { return false }
        removalWaiters.append((key, tags, number, number, waiter))
        return true
    }

    mutating func takeRemovalWaiters() -> [Waiter] {
        guard !removalWaiters.isEmpty else { return [] }
        var done: [Waiter] = []
        for place in removalWaiters.indices.reversed() {
            let (key, tags, last) = (
                removalWaiters[place].key, removalWaiters[place].tags, removalWaiters[place].last
            )
            if !isRemoving(key, tags, upTo: last) { done.append(removalWaiters.remove(at: place).waiter) }
        }
        return done
    }

    private func isRemoving(_ key: CacheKey?, _ tags: Set<String>, upTo last: Int) -> Bool {
        if sweeps.contains(where: { $0.isActive && $0.number <= last && $0.scope.concerns(key, tags: tags) }) {
            return true
        }
        guard let key, let line = lines[key], line.isRemoving else { return false }
        return line.oldest.map { $0 <= last } ?? false
    }

    /// Records that a line, sweep or job has advanced from one change to a later one, or has no more work.
    mutating func advanced(from old: Int?, to new: Int?) -> Effects {
        guard let old else { return Effects() }
        return resumed { last in old <= last && new.map { $0 > last } ?? true }
    }

    /// Counts one work less for some waiters, by the number of the last work that they wait for.
    private mutating func resumed(_ concerns: (_ last: Int) -> Bool) -> Effects {
        var done: [Waiter] = []
        for place in waiters.indices.reversed() where concerns(waiters[place].last) {
            waiters[place].count -= 1
            if waiters[place].count == 0 { done.append(waiters.remove(at: place).waiter) }
        }
        return Effects(waiters: done)
    }
}

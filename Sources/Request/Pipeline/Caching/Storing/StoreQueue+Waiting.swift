/// The waiters of a queue, and the jobs that lead to its changes.
extension StoreQueue {
    /// Adds a waiter, which continues at once if there is nothing to wait for.
    mutating func add(_ waiter: Waiter, _ wait: Wait, number: Int) {
        if isOver(wait, number) {
            effects.waiters.append(waiter)
        } else {
            waiters.append((number, wait, waiter))
        }
    }

    /// Ends a wait early.
    mutating func stopWaiting(_ number: Int) {
        guard let place = waiters.firstIndex(where: { $0.number == number }) else { return }
        effects.waiters.append(waiters.remove(at: place).waiter)
    }

    /// Returns whether the work with at most this number has ended. Work that replaces other work has the number of that.
    private func isOver(_ wait: Wait, _ last: Int) -> Bool {
        switch wait {
        case .load(let key): lines[key].map { $0.content != nil } ?? true
        case .changes(let key): !isChanging(key, upTo: last)
        case .removals(let key, let tags):
            !sweeps.contains { $0.isActive && $0.number <= last && $0.scope.mayConcern(key, tags: tags) }
                && !(key.flatMap { lines[$0] }?.isWriting(entry: false, upTo: last) ?? false)
        case .everything:
            !lines.values.contains { $0.oldest.map { $0 <= last } ?? false }
                && !sweeps.contains { $0.isActive && $0.number <= last } && !jobs.keys.contains { $0 <= last }
        }
    }

    func isChanging(_ key: CacheKey, upTo last: Int = .max) -> Bool {
        jobs.contains { $0.value == key && $0.key <= last }
            || hasHistory && lines[key]?.mayStore(upTo: last) ?? false
    }

    /// Begins a job that leads to a change of a key. Returns the number of the job.
    mutating func beginJob(_ key: CacheKey) -> Int {
        let number = nextNumber()
        jobs[number] = key
        return number
    }

    /// Ends a job. The change that it has made takes its number, so that its waiters wait for the change as well.
    mutating func endJob(_ number: Int) {
        guard let key = jobs.removeValue(forKey: number) else { return }
        hasProgress = true
        defer { startSweeps() }
        guard var line = lines[key] else { return }
        if let first = line.waiting?.first { line.waiting?.first = min(first, number) }
        if let first = line.running?.first { line.running?.first = min(first, number) }
        lines[key] = line
    }
}

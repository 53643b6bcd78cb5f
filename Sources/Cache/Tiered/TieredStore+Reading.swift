extension TieredStore {
    public nonisolated(nonsending) func get(_ key: CacheKey) async throws -> CacheEntry? {
        if let entry = memory.peek(key) { return entry }
        var result = WaitResult.again
        while true {
            switch result {
            case .again:
                if let load = state.withLock({ $0.inFlight.lead(key) }) {
                    result = .lead(load)
                } else {
                    result = await wait(for: key)
                }
            case .lead(let load):
                return try await lead(load, of: key)
            case .found(let entry):
                return count(entry)
            case .failed(let error):
                throw error
            case .left:
                throw CancellationError()
            }
        }
    }

    /// Loads an entry in the caller's own task and resumes the waiters. If the caller is cancelled and the load fails
    /// with it, a waiter continues the load.
    private nonisolated(nonsending) func lead(_ load: Int, of key: CacheKey) async throws -> CacheEntry? {
        do {
            let entry = try await backing.get(key)
            finish(load, of: key, entry)
            return count(entry)
        } catch {
            fail(load, of: key, error)
            throw error
        }
    }

    /// Waits for the load of another caller, or until the current task is cancelled.
    private nonisolated(nonsending) func wait(for key: CacheKey) async -> WaitResult {
        let number = state.withLock { $0.inFlight.nextNumber() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let result: WaitResult? = state.withLock { state in
                    guard state.inFlight.join(key, waiter: number, continuation) else { return .again }
                    // A later cancellation finds the waiter.
                    return Task.isCancelled ? state.inFlight.leave(key, waiter: number).map { _ in .left } : nil
                }
                if let result { continuation.resume(returning: result) }
            }
        } onCancel: {
            state.withLock { $0.inFlight.leave(key, waiter: number) }?.resume(returning: .left)
        }
    }

    private func finish(_ load: Int, of key: CacheKey, _ entry: CacheEntry?) {
        if !promote(entry, for: key, load) {
            // Memory may have an older entry. After this read, no caller may get that one.
            memory.drop(key)
        }
        for waiter in state.withLock({ $0.inFlight.endLoad(key, load: load) }) {
            waiter.resume(returning: .found(entry))
        }
    }

    private func promote(_ entry: CacheEntry?, for key: CacheKey, _ load: Int) -> Bool {
        guard let entry else { return false }
        let isPromoted = try? memory.put(entry, for: key, pinned: false) {
            state.withLock { $0.inFlight.mayPromote(key, load: load) }
        }
        return isPromoted ?? false
    }

    private func fail(_ load: Int, of key: CacheKey, _ error: any Error) {
        if Task.isCancelled {
            state.withLock { $0.inFlight.handOver(key, load: load) }?.resume(returning: .lead(load))
        } else {
            for waiter in state.withLock({ $0.inFlight.endLoad(key, load: load) }) {
                waiter.resume(returning: .failed(error))
            }
        }
    }

    private func count(_ entry: CacheEntry?) -> CacheEntry? {
        state.withLock { state in
            if entry == nil { state.misses += 1 } else { state.hits += 1 }
        }
        return entry
    }

    public nonisolated(nonsending) func getMany(_ keys: [CacheKey]) async throws -> [CacheEntry?] {
        var found = keys.map(memory.peek)
        var loads: [(position: Int, number: Int)] = []
        var others: [Int] = []
        for position in keys.indices where found[position] == nil {
            if let number = state.withLock({ $0.inFlight.lead(keys[position]) }) {
                loads.append((position, number))
            } else {
                others.append(position)
            }
        }
        try await load(loads, of: keys, into: &found)
        // Not before: a caller that waits for other loads while they wait for its own would wait for ever.
        for position in others {
            found[position] = try await get(keys[position])
        }
        return found
    }

    private nonisolated(nonsending) func load(
        _ loads: [(position: Int, number: Int)], of keys: [CacheKey], into found: inout [CacheEntry?]
    ) async throws {
        guard !loads.isEmpty else { return }
        do {
            let entries = try await backing.getMany(loads.map { keys[$0.position] })
            for (load, entry) in zip(loads, entries) {
                finish(load.number, of: keys[load.position], entry)
                found[load.position] = count(entry)
            }
        } catch {
            for load in loads { fail(load.number, of: keys[load.position], error) }
            throw error
        }
    }

    public nonisolated(nonsending) func reader(for key: CacheKey) async throws -> CacheReader? {
        let reader = try await backing.reader(for: key)
        if state.withLock({ $0.inFlight.isChanging(key) }) {
            // As after a load: the entry may be newer than the one in memory.
            memory.drop(key)
        }
        return reader
    }
}

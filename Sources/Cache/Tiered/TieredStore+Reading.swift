extension TieredStore {
    public nonisolated(nonsending) func get(_ key: CacheKey) async throws -> CacheEntry? {
        if let entry = memory.peek(key) { return entry }
        var turn = Turn.again
        while true {
            switch turn {
            case .again:
                if let load = state.withLock({ $0.flights.lead(key) }) {
                    turn = .lead(load)
                } else {
                    turn = await wait(for: key)
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

    /// Loads an entry in the caller's own task, so that a read that nobody else wants costs no other, and tells those
    /// who wait. If the caller is cancelled and the load fails for it, one of them carries on.
    private nonisolated(nonsending) func lead(_ load: Int, of key: CacheKey) async throws -> CacheEntry? {
        do {
            let entry = try await backing.get(key)
            land(load, of: key, entry)
            return count(entry)
        } catch {
            fail(load, of: key, error)
            throw error
        }
    }

    /// Waits for the load of another caller, or until the own task is cancelled.
    private nonisolated(nonsending) func wait(for key: CacheKey) async -> Turn {
        let place = WaitersPlace()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let number = state.withLock { $0.flights.join(key, continuation) }
                guard let number else { return continuation.resume(returning: .again) }
                if place.take(number) == .cancelled { leave(key, number) }
            }
        } onCancel: {
            if let number = place.cancel() { leave(key, number) }
        }
    }

    private func leave(_ key: CacheKey, _ number: Int) {
        state.withLock { $0.flights.leave(key, waiter: number) }?.resume(returning: .left)
    }

    private func land(_ load: Int, of key: CacheKey, _ entry: CacheEntry?) {
        if !promote(entry, for: key, load) {
            // Memory may have what was there before: nobody is to see that once somebody has seen this.
            memory.drop(key)
        }
        for waiter in state.withLock({ $0.flights.land(key, load: load) }) {
            waiter.resume(returning: .found(entry))
        }
    }

    private func promote(_ entry: CacheEntry?, for key: CacheKey, _ load: Int) -> Bool {
        guard let entry else { return false }
        let isPromoted = try? memory.put(entry, for: key, pinned: false) {
            state.withLock { $0.flights.mayPromote(key, load: load) }
        }
        return isPromoted ?? false
    }

    private func fail(_ load: Int, of key: CacheKey, _ error: any Error) {
        if Task.isCancelled {
            state.withLock { $0.flights.handOver(key, load: load) }?.resume(returning: .lead(load))
        } else {
            for waiter in state.withLock({ $0.flights.land(key, load: load) }) {
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
            if let number = state.withLock({ $0.flights.lead(keys[position]) }) {
                loads.append((position, number))
            } else {
                others.append(position)
            }
        }
        try await load(loads, of: keys, into: &found)
        // Only now: who waits for others while they wait for it waits for ever.
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
                land(load.number, of: keys[load.position], entry)
                found[load.position] = count(entry)
            }
        } catch {
            for load in loads { fail(load.number, of: keys[load.position], error) }
            throw error
        }
    }

    public nonisolated(nonsending) func reader(for key: CacheKey) async throws -> CacheReader? {
        let reader = try await backing.reader(for: key)
        if state.withLock({ $0.flights.isChanging(key) }) {
            // As after a load: what was read may be newer than what memory has.
            memory.drop(key)
        }
        return reader
    }
}

extension TieredStore {
    public nonisolated(nonsending) func removeAll(
        progress: @escaping @Sendable (CacheProgress) -> Void
    ) async throws {
        _ = try await sweep {
            try await backing.removeAll(progress: progress)
            return 0
        } memory: {
            memory.dropAll()
        }
    }

    @discardableResult
    public nonisolated(nonsending) func remove(tag: String) async throws -> Int {
        try await sweep {
            try await backing.remove(tag: tag)
        } memory: {
            memory.drop(tag: tag)
        }
    }

    @discardableResult
    public nonisolated(nonsending) func remove(prefix: CacheKey) async throws -> Int {
        try await sweep {
            try await backing.remove(prefix: prefix)
        } memory: {
            memory.drop(prefix: prefix)
        }
    }

    @discardableResult
    public nonisolated(nonsending) func remove(olderThan age: Duration) async throws -> Int {
        try await sweep {
            try await backing.remove(olderThan: age)
        } memory: {
            // Slightly more than in the backing store, because the clocks of two stores may differ by about this much.
            memory.drop(olderThan: age - .seconds(1))
        }
    }

    /// Removes entries in the backing store and then, even if that has failed, in memory. Meanwhile memory stores no
    /// loads.
    private nonisolated(nonsending) func sweep(
        backing: nonisolated(nonsending) () async throws -> Int, memory: () -> Int
    ) async throws -> Int {
        state.withLock { $0.inFlight.beginSweep() }
        defer {
            _ = memory()
            state.withLock { $0.inFlight.endSweep() }
        }
        return try await backing()
    }
}

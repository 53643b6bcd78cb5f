extension TieredStore {
    public nonisolated(nonsending) func removeAll(
        progress: @escaping @Sendable (CacheProgress) -> Void
    ) async throws {
        try await sweep {
            try await backing.removeAll(progress: progress)
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
            // A little more than was removed behind: the clocks of two stores agree to about so much.
            memory.drop(olderThan: age - .seconds(1))
        }
    }

    /// Removes entries behind and then, whether that went well or not, in memory, where nothing may come back meanwhile.
    private nonisolated(nonsending) func sweep<Result>(
        backing: nonisolated(nonsending) () async throws -> Result, memory: () -> Int
    ) async throws -> Result {
        state.withLock { $0.flights.beginSweep() }
        defer {
            _ = memory()
            state.withLock { $0.flights.endSweep() }
        }
        return try await backing()
    }
}

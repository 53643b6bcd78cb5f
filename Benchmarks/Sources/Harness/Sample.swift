/// One measurement of one row.
struct Sample: Sendable {
    /// Nanoseconds for each operation, or bytes for each object.
    var value: Double
    var allocations: Allocations?
    /// The peak growth of the process in bytes.
    var peak: Double?
}

extension Sample {
    /// Runs the work on the thread of the caller, which is the main thread.
    static func time<State>(
        _ operations: Int, tracksPeak: Bool, setUp: @Sendable () -> State, _ run: @Sendable (State) -> Void
    ) async -> Sample {
        let state = setUp()
        guard tracksPeak else { return measure(operations) { run(state) } }
        var (sample, peak) = await Memory.peakGrowth { measure(operations) { run(state) } }
        sample.peak = peak
        return sample
    }

    /// Runs the work in a task, away from the main thread.
    @concurrent static func time(
        _ operations: Int, tracksPeak: Bool, _ run: @Sendable () async throws -> Void
    ) async throws -> Sample {
        guard tracksPeak else { return try await measure(operations, run) }
        var (sample, peak) = try await Memory.peakGrowth { try await measure(operations, run) }
        sample.peak = peak
        return sample
    }

    @concurrent static func memory(_ count: Int, _ make: @Sendable () async -> Any) async -> Sample {
        let before = Memory.live
        let objects = await make()
        let after = Memory.live
        keep(objects)
        return Sample(value: (after - before) / Double(count))
    }

    @concurrent static func number(_ measure: @Sendable () async throws -> Double) async rethrows -> Sample {
        Sample(value: try await measure())
    }

    private static func measure(_ operations: Int, _ run: () -> Void) -> Sample {
        let allocations = Allocations.now
        let start = ContinuousClock.now
        run()
        return Sample(since: start, allocations, operations)
    }

    private static func measure(
        _ operations: Int, _ run: @Sendable () async throws -> Void
    ) async rethrows -> Sample {
        let allocations = Allocations.now
        let start = ContinuousClock.now
        try await run()
        return Sample(since: start, allocations, operations)
    }

    private init(since start: ContinuousClock.Instant, _ allocations: Allocations, _ operations: Int) {
        let duration = ContinuousClock.now - start
        value = duration / .nanoseconds(1) / Double(operations)
        if Allocations.areCounted {
            self.allocations = (Allocations.now - allocations) / operations
        }
    }

    private init(value: Double) {
        self.value = value
    }
}

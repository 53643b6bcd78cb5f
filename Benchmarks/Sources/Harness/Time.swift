import CMeasure

/// Returns the nanoseconds for each operation of some work.
public func nanoseconds(for operations: Int, _ work: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try work()
    return (ContinuousClock.now - start) / .nanoseconds(1) / Double(operations)
}

/// The same for work that awaits.
public func nanoseconds(for operations: Int, _ work: () async throws -> Void) async rethrows -> Double {
    let start = ContinuousClock.now
    try await work()
    return (ContinuousClock.now - start) / .nanoseconds(1) / Double(operations)
}

/// Returns the processor time of all threads for each operation, in nanoseconds.
public func processorNanoseconds(for operations: Int, _ work: () throws -> Void) rethrows -> Double {
    let start = measure_processor_nanoseconds()
    try work()
    return Double(measure_processor_nanoseconds() - start) / Double(operations)
}

/// The same for work that awaits.
public func processorNanoseconds(for operations: Int, _ work: () async throws -> Void) async rethrows -> Double {
    let start = measure_processor_nanoseconds()
    try await work()
    return Double(measure_processor_nanoseconds() - start) / Double(operations)
}

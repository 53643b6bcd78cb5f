import CMeasure

/// The allocations of this process so far.
public struct Allocations: Sendable {
    public var count: Double
    public var bytes: Double

    /// False where allocations cannot be counted: everywhere but on Linux with glibc.
    public static var areCounted: Bool { measure_counts_allocations() }

    static var now: Allocations {
        let counts = measure_allocations()
        return Allocations(count: Double(counts.allocations), bytes: Double(counts.bytes))
    }

    static func - (left: Allocations, right: Allocations) -> Allocations {
        Allocations(count: left.count - right.count, bytes: left.bytes - right.bytes)
    }

    static func / (left: Allocations, divisor: Int) -> Allocations {
        Allocations(count: left.count / Double(divisor), bytes: left.bytes / Double(divisor))
    }
}

/// The resources that this process uses now; 0 if the platform does not report them.
public enum Holdings {
    public static var threads: Int { Int(measure_threads()) }
    public static var descriptors: Int { Int(measure_descriptors()) }
    public static var residentBytes: Int { Int(measure_resident_bytes()) }

    /// Raises the limit of open descriptors to the highest that the system allows.
    public static func raiseDescriptorLimit() { measure_raise_descriptor_limit() }
}

/// Memory of this process in bytes; 0 if the platform does not report it.
public enum Memory {
    /// Heap blocks in use, with the overhead of each.
    static var live: Double { Double(measure_live_bytes()) }

    /// Merges free heap blocks, so that those of one workload do not slow down the next.
    static func settle() { measure_settle_heap() }

    /// Returns the peak growth of the resident memory during `body`.
    public static func peakGrowth<Result>(of body: () async throws -> Result) async rethrows -> (Result, Double) {
        measure_reset_peak()
        let before = measure_resident_bytes()
        let result = try await body()
        return (result, max(0, Double(measure_peak_bytes()) - Double(before)))
    }
}

/// Runs `body` on `count` new threads, with the number of each, and waits for them.
public func onThreads(_ count: Int, _ body: @escaping @Sendable (_ index: Int) -> Void) {
    let box = Body(body)
    withExtendedLifetime(box) {
        measure_on_threads(Int32(count), Unmanaged.passUnretained(box).toOpaque()) { context, index in
            guard let context else { return }
            Unmanaged<Body>.fromOpaque(context).takeUnretainedValue().run(Int(index))
        }
    }
}

private final class Body: Sendable {
    let run: @Sendable (Int) -> Void
    init(_ run: @escaping @Sendable (Int) -> Void) { self.run = run }
}

/// Uses a value, so that the optimiser does not remove its computation.
@_optimize(none)
public func keep<Value>(_ value: Value) {}

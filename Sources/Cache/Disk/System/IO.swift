import Dispatch

/// Runs what blocks, off the threads that tasks share.
///
/// A concurrent queue, because the thread that suspends picks up the work itself: that costs about a microsecond, where
/// a serial queue has to wake somebody.
enum IO {
    /// Kept, because each read of `global()` makes a new object on Linux.
    private static let queue = DispatchQueue.global()

    /// Does blocking work on a thread that may block.
    static func submit(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }

    /// Does blocking work on a thread that may block, and returns its result to the caller's actor.
    nonisolated(nonsending) static func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await result { finish in
            submit { finish(Result { try work() }) }
        }
    }

    /// Does blocking work that cannot fail on a thread that may block, and returns its result to the caller's actor.
    nonisolated(nonsending) static func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await value { finish in
            submit { finish(work()) }
        }
    }
}

import Dispatch

/// Runs blocking work on threads other than those that tasks share.
///
/// The queue is concurrent, because then the suspending thread picks up the work itself, which costs about a
/// microsecond. A serial queue has to wake another thread.
package enum IO {
    /// Stored, because each access to `global()` creates a new object on Linux.
    private static let queue = DispatchQueue.global()

    /// Runs tasks on threads that may block.
    package static let executor = Executor()

    /// Runs work on a thread that may block.
    package static func submit(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }

    /// Runs work on a thread that may block, and returns its result on the caller's actor.
    nonisolated(nonsending) package static func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await result { finish in
            submit { finish(Result { try work() }) }
        }
    }

    /// Runs work that cannot fail on a thread that may block, and returns its result on the caller's actor.
    nonisolated(nonsending) package static func run<Value: Sendable>(
        _ work: @escaping @Sendable () -> Value
    ) async -> Value {
        await value { finish in
            submit { finish(work()) }
        }
    }

    package final class Executor: TaskExecutor {
        private let queue = DispatchQueue(label: "tango.files", attributes: .concurrent)

        package func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }
}

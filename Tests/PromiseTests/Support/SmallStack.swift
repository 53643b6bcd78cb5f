import Foundation
import TangoPromise

/// Runs `work`, which may block, on a thread with a stack of 512 KB, as secondary threads have on Apple platforms.
func onSmallStack<Output: Sendable>(_ work: @escaping @Sendable () throws -> Output) async throws -> Output {
    try await withCheckedThrowingContinuation { continuation in
        startThread { continuation.resume(with: Result(catching: work)) }
    }
}

extension Scheduler {
    /// Handlers run on threads with a small stack too.
    static var smallStack: Scheduler { Scheduler(startThread) }
}

@Sendable
private func startThread(_ work: @escaping @Sendable () -> Void) {
    let thread = Thread(block: work)
    thread.stackSize = 512 << 10
    thread.start()
}

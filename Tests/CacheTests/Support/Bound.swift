import Foundation
import Testing

/// Runs work that must not block on a thread of its own, and records an issue if it does.
///
/// The time limit is 600 iterations of a task that sleeps for 100 ms in each: a minute on an idle machine. On a busy
/// one it is longer, as is the work.
///
/// - Parameter rescue: Unblocks the work after a failure, so that the tests can end.
func expectNotToBlock<Value: Sendable>(
    rescue: @escaping @Sendable () -> Void = {}, sourceLocation: SourceLocation = #_sourceLocation,
    _ work: @escaping @Sendable () throws -> Value
) async throws -> Value {
    let blocked = Guarded(false)
    let guardian = Task.detached {
        for _ in 0..<600 { try await Task.sleep(for: .milliseconds(100)) }
        blocked.change { $0 = true }
        rescue()
    }
    defer {
        guardian.cancel()
        if blocked.value { Issue.record("the work blocks", sourceLocation: sourceLocation) }
    }
    return try await offThread(work)
}

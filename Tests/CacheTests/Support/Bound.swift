import Foundation
import Testing

/// Does what must not block on a thread of its own, and records an issue where it takes longer than a minute.
///
/// - Parameter rescue: Frees the work where it blocks, so that one failure does not keep the tests from ending.
func expectNotToBlock<Value: Sendable>(
    rescue: @escaping @Sendable () -> Void = {}, sourceLocation: SourceLocation = #_sourceLocation,
    _ work: @escaping @Sendable () throws -> Value
) async throws -> Value {
    let isDone = DispatchSemaphore(value: 0)
    let blocked = Guarded(false)
    Thread.detachNewThread {
        guard isDone.wait(timeout: .now() + 60) == .timedOut else { return }
        blocked.change { $0 = true }
        rescue()
    }
    defer {
        isDone.signal()
        if blocked.value { Issue.record("the work blocks", sourceLocation: sourceLocation) }
    }
    return try await offThread(work)
}

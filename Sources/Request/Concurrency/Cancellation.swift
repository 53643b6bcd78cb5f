/// Does something in the caller's task and on its actor, and is told when the task is cancelled.
///
/// The function of the standard library runs what it is given elsewhere if that holds no actor: then it begins later than
/// what its caller's actor does next, and two more changes of threads are paid for.
func withCancellation<Value>(
    _ operation: nonisolated(nonsending) () async throws -> Value, onCancel: @Sendable () -> Void
) async rethrows -> Value {
    try await withCancellation(on: #isolation, operation, onCancel: onCancel)
}

private func withCancellation<Value>(
    on isolation: isolated (any Actor)?, _ operation: nonisolated(nonsending) () async throws -> Value,
    onCancel: @Sendable () -> Void
) async rethrows -> Value {
    try await withTaskCancellationHandler {
        // Only a closure that holds the actor runs on it.
        _ = isolation
        return try await operation()
    } onCancel: {
        onCancel()
    }
}

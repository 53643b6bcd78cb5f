/// Runs an operation in the caller's task and on its actor, and calls a closure when the task is cancelled.
///
/// The function of the standard library runs an operation elsewhere if the operation captures no actor. Then it starts
/// after the next work of the caller's actor, and costs two more changes of threads.
package func withCancellation<Value>(
    _ operation: nonisolated(nonsending) () async throws -> Value, onCancel: @Sendable () -> Void
) async rethrows -> Value {
    try await withCancellation(on: #isolation, operation, onCancel: onCancel)
}

private func withCancellation<Value>(
    on isolation: isolated (any Actor)?, _ operation: nonisolated(nonsending) () async throws -> Value,
    onCancel: @Sendable () -> Void
) async rethrows -> Value {
    try await withTaskCancellationHandler {
        // Only a closure that captures the actor runs on it.
        _ = isolation
        return try await operation()
    } onCancel: {
        onCancel()
    }
}

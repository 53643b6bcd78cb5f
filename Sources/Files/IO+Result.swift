extension IO {
    /// Waits for a result from any thread, and returns it on the caller's actor.
    ///
    /// - Parameter start: Begins the work with a closure that must be called once with the result.
    nonisolated(nonsending) package static func result<Value: Sendable>(
        _ start: (_ finish: @escaping @Sendable (Result<Value, any Error>) -> Void) -> Void
    ) async throws -> Value {
        try await withUnsafeThrowingContinuation { continuation in
            start { result in continuation.resume(with: result) }
        }
    }

    /// Waits for a value from any thread, and returns it on the caller's actor.
    ///
    /// - Parameter start: Begins the work with a closure that must be called once with the value.
    nonisolated(nonsending) package static func value<Value: Sendable>(
        _ start: (_ finish: @escaping @Sendable (Value) -> Void) -> Void
    ) async -> Value {
        await withUnsafeContinuation { continuation in
            start { value in continuation.resume(returning: value) }
        }
    }
}

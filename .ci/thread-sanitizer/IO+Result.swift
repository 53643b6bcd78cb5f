// Stands in for the file of the same name while the thread sanitizer runs. How a task is resumed is inside the runtime,
// where the sanitizer cannot see it, so results are handed over through a lock as well, which it sees.

extension IO {
    nonisolated(nonsending) package static func result<Value: Sendable>(
        _ start: (_ finish: @escaping @Sendable (Result<Value, any Error>) -> Void) -> Void
    ) async throws -> Value {
        try await value(start).get()
    }

    nonisolated(nonsending) package static func value<Value: Sendable>(
        _ start: (_ finish: @escaping @Sendable (Value) -> Void) -> Void
    ) async -> Value {
        let place = Handover<Value>()
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            start { value in
                place.value.withLock { $0 = value }
                continuation.resume()
            }
        }
        return place.value.withLock { $0! }
    }
}

private final class Handover<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
}

import Synchronization
import Testing

/// The error of work that did not end within its limit.
struct NeverEnded: Error {}

/// Waits for work to end. Work that exceeds the limit fails its test, so that it cannot block the test run.
@discardableResult
func within<Value: Sendable>(
    _ limit: Duration = .seconds(300), sourceLocation: SourceLocation = #_sourceLocation,
    _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let first = First<Result<Value, any Error>>()
    let worker = Task {
        do { first.settle(.success(try await work())) } catch { first.settle(.failure(error)) }
    }
    let watchdog = Task {
        do {
            try await Task.sleep(for: limit)
            first.settle(.failure(NeverEnded()))
        } catch {}
    }
    let result = await withTaskCancellationHandler {
        await first.value
    } onCancel: {
        worker.cancel()
    }
    watchdog.cancel()
    if case .failure(is NeverEnded) = result {
        Issue.record("it has not ended within \(limit)", sourceLocation: sourceLocation)
        worker.cancel()
    }
    return try result.get()
}

/// The first of several values.
private final class First<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var waiter: CheckedContinuation<Value, Never>?
    }

    private let state = Mutex(State())

    func settle(_ value: Value) {
        let waiter = state.withLock { state -> CheckedContinuation<Value, Never>? in
            guard state.value == nil else { return nil }
            state.value = value
            return state.waiter
        }
        waiter?.resume(returning: value)
    }

    var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let value = state.withLock { state -> Value? in
                    if state.value == nil { state.waiter = continuation }
                    return state.value
                }
                if let value { continuation.resume(returning: value) }
            }
        }
    }
}

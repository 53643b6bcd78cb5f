import Synchronization

/// Counts how often the device gets a network, and lets one task wait for the next time.
final class ConnectivityWatch: Sendable {
    private let counter: Counter
    private let observation: ConnectivityObservation

    init(_ connectivity: any Connectivity) {
        let counter = Counter()
        self.counter = counter
        observation = connectivity.observe { status in
            if status != .unavailable { counter.add() }
        }
    }

    /// The number of changes after which the device may have a network.
    var changes: Int { counter.count }

    /// Waits until there are more changes than a number.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    func wait(after seen: Int) async throws {
        try await counter.wait(after: seen)
    }
}

private final class Counter: Sendable {
    private struct State {
        var count = 0
        var waiter: UnsafeContinuation<Void, any Error>?
    }

    private let state = Mutex(State())

    var count: Int { state.withLock(\.count) }

    func add() {
        let waiter = state.withLock { state in
            state.count += 1
            return replace(&state.waiter, with: nil)
        }
        waiter?.resume()
    }

    func wait(after seen: Int) async throws {
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
                let outcome = state.withLock { state -> Result<Void, any Error>? in
                    // The handler may have run before there was anything to resume.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.count > seen { return .success(()) }
                    state.waiter = continuation
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            state.withLock { replace(&$0.waiter, with: nil) }?.resume(throwing: CancellationError())
        }
    }
}

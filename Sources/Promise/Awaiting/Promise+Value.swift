import Synchronization

extension Promise {
    /// Waits for the value, or throws the error.
    ///
    /// ```swift
    /// let user = try await loadUser(1).value
    /// ```
    ///
    /// If the promise has settled this does not suspend. A task that is cancelled while it waits leaves the promise (which
    /// is cancelled in turn if nobody else waits for it) and throws `CancellationError`.
    @inlinable
    public nonisolated(nonsending) var value: Value {
        get async throws {
            if isFulfilled { return loadSlot() }
            return try await result.get()
        }
    }

    /// Waits for the value or the error.
    public nonisolated(nonsending) var result: Result<Value, any Error> {
        get async {
            switch await settling(on: #isolation) {
            case .fulfilled: .success(loadSlot())
            case .rejected: .failure(error)
            default: .failure(CancellationError())
            }
        }
    }
}

extension AnyPromise {
    /// Waits as one consumer, which is attached before the caller's actor does anything else; `.cancelled` also if the
    /// task has left.
    fileprivate final func settling(on isolation: isolated (any Actor)?) async -> Phase {
        if let outcome = settledPhase() { return outcome }
        let watcher = Mutex<AnyPromise?>(nil)
        return await withTaskCancellationHandler {
            // Only a closure that holds the actor runs on it: any other would attach from elsewhere, and later.
            _ = isolation
            return await withUnsafeContinuation { continuation in
                let mine = TaskWatcher(of: self, continuation)
                watcher.withLock { $0 = mine }
                attach(mine)
                if Task.isCancelled { mine.cancel() }
            }
        } onCancel: {
            watcher.withLock { $0 }?.cancel()
        }
    }

    /// The phase if the promise has settled; whoever asks answers for the error.
    final func settledPhase() -> Phase? {
        let phase = phase
        if phase == .rejected { locked { _ = marks.insert(.observed) } }
        return phase.isSettled ? phase : nil
    }
}

/// A task that waits for a promise.
private final class TaskWatcher: AnyPromise, @unchecked Sendable {
    // Unchecked: its one property is constant.
    private let continuation: UnsafeContinuation<Phase, Never>

    init(of promise: AnyPromise, _ continuation: UnsafeContinuation<Phase, Never>) {
        self.continuation = continuation
        super.init(watching: promise)
    }

    override func told(of source: consuming AnyPromise) {
        continuation.resume(returning: source.phase)
    }
}

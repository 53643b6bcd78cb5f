import Synchronization

extension Promise {
    /// The value of the promise, once it is fulfilled; throws the error if the promise is rejected.
    ///
    /// ```swift
    /// let user = try await loadUser(1).value
    /// ```
    ///
    /// If the promise has settled, the getter does not suspend. If the waiting task is cancelled, it leaves the promise
    /// and throws `CancellationError`. The promise is cancelled too when no other consumer waits for it.
    @inlinable
    public nonisolated(nonsending) var value: Value {
        get async throws {
            if isFulfilled { return loadSlot() }
            return try await result.get()
        }
    }

    /// The value or the error of the promise, once it has settled.
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

extension Promise {
    /// The value or the error if the promise has settled; nil if it is pending. Reading an error handles it.
    public var currentResult: Result<Value, any Error>? {
        switch settledPhase() {
        case .fulfilled: .success(loadSlot())
        case .rejected: .failure(error)
        case nil: nil
        default: .failure(CancellationError())
        }
    }
}

extension AnyPromise {
    /// A Boolean value that indicates whether the promise has neither a value nor an error yet.
    public final var isPending: Bool { !phase.isSettled }

    /// Waits as one consumer, which attaches before the caller's actor runs anything else. Returns `.cancelled` also if
    /// the waiting task was cancelled.
    fileprivate final func settling(on isolation: isolated (any Actor)?) async -> Phase {
        if let outcome = settledPhase() { return outcome }
        let watcher = Mutex<AnyPromise?>(nil)
        return await withTaskCancellationHandler {
            // A closure that captures the actor runs on it. Any other would attach later and on another thread.
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

    /// Returns the phase if the promise has settled. The caller is then responsible for the error.
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

    override func sourceSettled(_ source: consuming AnyPromise) {
        continuation.resume(returning: source.phase)
    }
}

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
        let mayWork = awaitsWork && isolation == nil && TaskWatcher.mayWorkInCurrentTask
        let watcher = Mutex<AnyPromise?>(nil)
        return await withTaskCancellationHandler {
            // A closure that captures the actor runs on it. Any other would attach later and on another thread.
            _ = isolation
            let reason = await withUnsafeContinuation { continuation in
                let mine = TaskWatcher(of: self, continuation, mayWork: mayWork)
                watcher.withLock { $0 = mine }
                attach(mine)
                if Task.isCancelled { mine.cancel() }
            }
            switch reason {
            case .settled(let phase): return phase
            case .work(let mine, let work):
                Scheduler.runInTask(work)
                return await withUnsafeContinuation { mine.wait($0) }
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
    // Unchecked: the lock guards its variable.

    /// The reason for which a waiting task is resumed.
    enum Reason {
        case settled(Phase)
        /// The task runs work, and then waits again.
        case work(TaskWatcher, @Sendable () -> Void)
    }

    private enum State {
        case waiting(UnsafeContinuation<Reason, Never>, mayWork: Bool)
        case working
        case waitingAgain(UnsafeContinuation<Phase, Never>)
        case settled(Phase)
    }

    @exclusivity(unchecked) private var state: State

    init(of promise: AnyPromise, _ continuation: UnsafeContinuation<Reason, Never>, mayWork: Bool) {
        state = .waiting(continuation, mayWork: mayWork)
        super.init(watching: promise)
    }

    override func sourceSettled(_ source: consuming AnyPromise) {
        let phase = source.phase
        let old = locked {
            defer { state = .settled(phase) }
            return state
        }
        switch old {
        case .waiting(let continuation, _): continuation.resume(returning: .settled(phase))
        case .waitingAgain(let continuation): continuation.resume(returning: phase)
        case .working, .settled: break
        }
    }

    override func runInWaitingTask(_ work: @escaping @Sendable () -> Void) -> Bool {
        let continuation = locked { () -> UnsafeContinuation<Reason, Never>? in
            guard case .waiting(let continuation, mayWork: true) = state else { return nil }
            state = .working
            return continuation
        }
        continuation?.resume(returning: .work(self, work))
        return continuation != nil
    }

    /// Waits again after work, unless the promise has settled.
    func wait(_ continuation: UnsafeContinuation<Phase, Never>) {
        let phase = locked { () -> Phase? in
            if case .settled(let phase) = state { return phase }
            state = .waitingAgain(continuation)
            return nil
        }
        if let phase { continuation.resume(returning: phase) }
    }

    /// A Boolean value that indicates whether the current task may run work of the library: its priority is not low, and it has no
    /// executor of its own.
    static var mayWorkInCurrentTask: Bool {
        withUnsafeCurrentTask { task in
            guard let task else { return false }
            return task.priority >= .medium && task.unownedTaskExecutor == nil
        }
    }
}

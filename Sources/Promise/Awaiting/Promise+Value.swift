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
    public nonisolated(nonsending) var value: Value {
        get async throws {
            try await result.get()
        }
    }

    /// Waits for the value or the error.
    public nonisolated(nonsending) var result: Result<Value, any Error> {
        get async {
            switch await settling(on: #isolation) {
            case .fulfilled: .success(slot.load())
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
        let consumer = Mutex<AnyPromise?>(nil)
        return await withTaskCancellationHandler {
            _ = isolation  // so that this closure runs on that actor
            return await withUnsafeContinuation { continuation in
                let link = AnyPromise(after: self, on: .immediate, [.everything, .cleanup, .inline]) { link, source in
                    link.finish(.fulfilled, isPlain: true)
                    continuation.resume(returning: source.phase)
                }
                consumer.withLock { $0 = link }
                attach(link)
                if Task.isCancelled { link.cancel() }
            }
        } onCancel: {
            consumer.withLock { $0 }?.cancel()
        }
    }

    /// The phase if the promise has settled; whoever asks answers for the error.
    final func settledPhase() -> Phase? {
        locked {
            guard phase.isSettled else { return nil }
            marks.insert(.observed)
            return phase
        }
    }
}

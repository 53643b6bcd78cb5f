import Synchronization

/// State behind a lock. Tasks can wait for any condition on it.
final class Watched<State: Sendable>: Sendable {
    private struct Waiter {
        let id: Int
        /// Returns a closure that ends the wait, or nil if the condition does not hold yet.
        let attempt: @Sendable (inout State) -> (@Sendable () -> Void)?
        let cancel: @Sendable () -> Void
    }

    private struct Guarded {
        var state: State
        var waiters: [Waiter] = []
        var nextID = 0
        /// Waits that were cancelled before they began.
        var cancelled: Set<Int> = []
    }

    private let guarded: Mutex<Guarded>

    init(_ state: State) {
        guarded = Mutex(Guarded(state: state))
    }

    /// Reads the state without checking the waits.
    func read<Value: Sendable>(_ body: (borrowing State) -> Value) -> Value {
        guarded.withLock { body($0.state) }
    }

    /// Changes the state, then ends the waits whose condition holds.
    @discardableResult
    func change<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        var over: [@Sendable () -> Void] = []
        let value = guarded.withLock { guarded in
            let value = body(&guarded.state)
            if !guarded.waiters.isEmpty {
                var rest: [Waiter] = []
                for waiter in guarded.waiters {
                    if let end = waiter.attempt(&guarded.state) { over.append(end) } else { rest.append(waiter) }
                }
                guarded.waiters = rest
            }
            return value
        }
        for end in over { end() }
        return value
    }

    /// Waits until `attempt` returns a value or throws. Attempts run under the lock, in the order of the waits.
    func wait<Value: Sendable>(_ attempt: @escaping @Sendable (inout State) throws -> Value?) async throws -> Value {
        let id = guarded.withLock { guarded in
            guarded.nextID += 1
            return guarded.nextID
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let tried: @Sendable (inout State) -> (@Sendable () -> Void)? = { state in
                    do {
                        guard let value = try attempt(&state) else { return nil }
                        return { continuation.resume(returning: value) }
                    } catch {
                        return { continuation.resume(throwing: error) }
                    }
                }
                let cancel: @Sendable () -> Void = { continuation.resume(throwing: CancellationError()) }
                let end: (@Sendable () -> Void)? = guarded.withLock { guarded in
                    if guarded.cancelled.remove(id) != nil { return cancel }
                    if let end = tried(&guarded.state) { return end }
                    guarded.waiters.append(Waiter(id: id, attempt: tried, cancel: cancel))
                    return nil
                }
                end?()
            }
        } onCancel: {
            let cancel: (@Sendable () -> Void)? = guarded.withLock { guarded in
                guard let place = guarded.waiters.firstIndex(where: { $0.id == id }) else {
                    guarded.cancelled.insert(id)
                    return nil
                }
                return guarded.waiters.remove(at: place).cancel
            }
            cancel?()
        }
    }
}

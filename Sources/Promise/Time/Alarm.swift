import Synchronization

/// A timer: sleeps once on a clock, then calls back, unless it is cancelled first.
final class Alarm: Sendable {
    private enum State {
        case unset
        case set(Task<Void, Never>)
        case cancelled
    }

    private let state = Mutex(State.unset)

    /// Starts the timer. The deadline is fixed now, so that a `ManualClock` may be advanced right after.
    func set(after duration: Duration, on clock: some Clock<Duration>, _ ring: @escaping @Sendable () -> Void) {
        let deadline = clock.instant(after: duration)
        state.withLock { state in
            guard case .unset = state else { return }
            state = .set(
                Task {
                    do {
                        try await clock.sleep(until: deadline, tolerance: nil)
                    } catch {
                        // Cancelled: the callback is no longer needed. If a clock fails otherwise, call back early
                        // rather than never.
                        if Task.isCancelled { return }
                    }
                    ring()
                })
        }
    }

    func cancel() {
        let state = state.withLock { state in
            defer { state = .cancelled }
            return state
        }
        if case .set(let task) = state { task.cancel() }
    }
}

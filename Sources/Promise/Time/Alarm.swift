import Synchronization

/// One sleep on a clock, which calls back unless it is cancelled first.
final class Alarm: Sendable {
    private enum State {
        case unset
        case set(Task<Void, Never>)
        case cancelled
    }

    private let state = Mutex(State.unset)

    /// The deadline is fixed here and now, so that a `ManualClock` may be advanced right after.
    func set(after duration: Duration, on clock: some Clock<Duration>, _ ring: @escaping @Sendable () -> Void) {
        let deadline = clock.now.advanced(by: duration)
        state.withLock { state in
            guard case .unset = state else { return }
            state = .set(
                Task {
                    do {
                        try await clock.sleep(until: deadline, tolerance: nil)
                    } catch {
                        return  // cancelled: nobody waits for the alarm any more
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

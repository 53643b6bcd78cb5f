import Synchronization

/// A closure that can be replaced while another thread calls it.
final class Hook: Sendable {
    /// Wraps the closure. A closure stored directly in a `Mutex` is wrapped again at each read, until the stack
    /// overflows.
    private struct State {
        var report: @Sendable (CacheEvent) -> Void
    }

    private let state: Mutex<State>

    init(_ report: @escaping @Sendable (CacheEvent) -> Void) {
        state = Mutex(State(report: report))
    }

    var report: @Sendable (CacheEvent) -> Void {
        get { state.withLock { $0.report } }
        set {
            // The old closure is released after the lock: its captures may run code that reads the hook.
            var new = State(report: newValue)
            state.withLock { swap(&$0, &new) }
            withExtendedLifetime(new) {}
        }
    }
}

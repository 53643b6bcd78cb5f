import Synchronization

/// A closure that can be replaced while others call it.
final class Hook: Sendable {
    /// A closure that a `Mutex` holds by itself is wrapped once more each time it is read, until the stack overflows.
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
            // The former closure is released with the lock free: what it holds may run code that reads the hook.
            var new = State(report: newValue)
            state.withLock { swap(&$0, &new) }
            withExtendedLifetime(new) {}
        }
    }
}

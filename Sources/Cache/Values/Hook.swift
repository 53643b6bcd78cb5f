import Synchronization

/// A closure that can be replaced while others call it.
final class Hook: Sendable {
    private let closure: Mutex<@Sendable (CacheEvent) -> Void>

    init(_ closure: @escaping @Sendable (CacheEvent) -> Void) {
        self.closure = Mutex(closure)
    }

    var report: @Sendable (CacheEvent) -> Void {
        get { closure.withLock { $0 } }
        set { closure.withLock { $0 = newValue } }
    }
}

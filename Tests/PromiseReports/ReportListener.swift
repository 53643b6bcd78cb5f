import Synchronization
import TangoPromise

/// Receives the reports that a test expects.
///
/// The hooks of `PromiseEvents` are global, and tests of several targets run in one process at the same time. A test that
/// replaced a hook and put the old one back could remove the hook of another test. So the hooks are set once, and pass
/// each report to the listeners; what no listener takes goes to the hook that was there.
public final class ReportListener: Sendable {
    private let take: @Sendable (PromiseReport) -> Bool

    /// Listens until ``stop()``.
    /// - Parameter take: Returns whether the report belongs to this listener. It may be called on any thread.
    public init(_ take: @escaping @Sendable (PromiseReport) -> Bool) {
        self.take = take
        _ = Self.hooks
        Self.listeners.withLock { $0.append(self) }
    }

    public func stop() {
        Self.listeners.withLock { $0.removeAll { $0 === self } }
    }

    private static let listeners = Mutex<[ReportListener]>([])

    private static let hooks: Void = {
        PromiseEvents.onUnhandled = passing(to: PromiseEvents.onUnhandled)
        PromiseEvents.onDropped = passing(to: PromiseEvents.onDropped)
    }()

    private static func passing(to previous: PromiseEvents.Hook?) -> PromiseEvents.Hook {
        { report in
            let listeners = listeners.withLock { $0 }
            if !listeners.contains(where: { $0.take(report) }) { previous?(report) }
        }
    }
}

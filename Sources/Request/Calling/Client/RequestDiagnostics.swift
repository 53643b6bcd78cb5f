import Synchronization
import TangoPlatform

/// Reports of likely mistakes in debug builds, besides errors.
public enum RequestDiagnostics {
    private static let hook = Mutex<Hook?>(nil)

    private struct Hook {
        let report: @Sendable (String) -> Void
    }

    /// A closure that receives the reports. If nil, they are written to standard error.
    public static var onMistake: (@Sendable (String) -> Void)? {
        get { hook.withLock { $0?.report } }
        set {
            let new = newValue.map { Hook(report: $0) }
            withExtendedLifetime(hook.withLock { replace(&$0, with: new) }) {}
        }
    }

    package static func report(_ mistake: String) {
        if let hook = hook.withLock({ $0 }) { return hook.report(mistake) }
        let line = "Tango: \(mistake)\n"
        _ = line.withCString { write(2, $0, strlen($0)) }
    }
}

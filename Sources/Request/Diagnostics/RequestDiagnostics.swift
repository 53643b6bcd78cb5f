import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What the module has to say to developers besides errors: likely mistakes, in debug builds; and, in release builds too, that
/// libcurl cannot be used on this system, so that `URLSession` carries the requests.
public enum RequestDiagnostics {
    private static let hook = Mutex<Hook?>(nil)

    private struct Hook {
        let report: @Sendable (String) -> Void
    }

    /// Hears of that instead of the error output. The transport is chosen when the first client is made that is not given one:
    /// set it before.
    public static var onMistake: (@Sendable (String) -> Void)? {
        get { hook.withLock { $0?.report } }
        set {
            let new = newValue.map { Hook(report: $0) }
            withExtendedLifetime(hook.withLock { replace(&$0, with: new) }) {}
        }
    }

    static func report(_ mistake: String) {
        if let hook = hook.withLock({ $0 }) { return hook.report(mistake) }
        let line = "Tango: \(mistake)\n"
        _ = line.withCString { write(2, $0, strlen($0)) }
    }
}

import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Hooks for what would otherwise go unnoticed: errors that nobody handled, and promises that can no longer settle.
///
/// Without a hook, debug builds print a line to standard error and release builds stay silent. A hook is called on
/// whichever thread released the promise; set it early, once.
///
/// ```swift
/// PromiseEvents.onUnhandled = { report in log.error("\(report)") }
/// ```
public enum PromiseEvents {
    /// What is called with each report.
    public typealias Hook = @Sendable (PromiseReport) -> Void

    /// A rejected promise was released, and nothing after it handled errors. Cancellations are not reported.
    public static var onUnhandled: Hook? {
        get { hooks.withLock { $0.onUnhandled } }
        set { replace(\.onUnhandled, newValue) }
    }

    /// The last resolver of a pending promise was released, so the promise is rejected with ``PromiseError/abandoned``.
    public static var onDropped: Hook? {
        get { hooks.withLock { $0.onDropped } }
        set { replace(\.onDropped, newValue) }
    }

    private struct Hooks {
        var onUnhandled: Hook? = standard
        var onDropped: Hook? = standard
    }

    private static let hooks = Mutex(Hooks())

    /// The old hook is let go of outside the lock, because that may run code of the user's.
    private static func replace(_ path: WritableKeyPath<Hooks, Hook?> & Sendable, _ hook: Hook?) {
        let old = hooks.withLock { hooks in
            let old = hooks[keyPath: path]
            hooks[keyPath: path] = hook
            return old
        }
        withExtendedLifetime(old) {}
    }

    private static var standard: Hook? {
        #if DEBUG
            { report in
                var line = "\(report)\n"
                line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
            }
        #else
            nil
        #endif
    }
}

/// What a hook of ``PromiseEvents`` is told.
public struct PromiseReport: Sendable, CustomStringConvertible {
    /// What has happened.
    public enum Kind: String, Sendable {
        /// A rejected promise was released, and nobody had handled its error.
        case unhandled
        /// The last resolver of a pending promise was released.
        case dropped
    }

    /// What has happened.
    public let kind: Kind
    /// The error that nobody handled, or ``PromiseError/abandoned``.
    public let error: any Error
    /// The file and line where the promise was made or, for a link, where its chain begins; nil if there is an
    /// ``origin``. Debug builds of this package only.
    public let site: String?
    /// The work with which the chain begins, such as a request with its type, method and URL. Debug builds of this package
    /// only.
    public let origin: String?

    public var description: String {
        let place = site.map { " (made in \($0))" } ?? ""
        let work = origin.map { " of \($0)" } ?? ""
        return switch kind {
        case .unhandled: "Unhandled error in \(origin == nil ? "a" : "the") promise\(work)\(place): \(error)"
        case .dropped: "A promise\(work) was dropped\(place): \(error)"
        }
    }
}

extension AnyPromise {
    final func reportUnhandled(_ error: any Error) {
        guard let hook = PromiseEvents.onUnhandled else { return }
        hook(PromiseReport(kind: .unhandled, error: error, site: siteDescription, origin: origin))
    }

    final func reportDropped() {
        guard let hook = PromiseEvents.onDropped else { return }
        hook(PromiseReport(kind: .dropped, error: PromiseError.abandoned, site: siteDescription, origin: origin))
    }

    private var siteDescription: String? {
        #if DEBUG
            site.origin == nil ? site.description : nil
        #else
            nil
        #endif
    }

    private var origin: String? {
        #if DEBUG
            site.origin
        #else
            nil
        #endif
    }
}

import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Hooks that report unhandled errors and promises that can no longer settle.
///
/// Without a hook, debug builds print a line to standard error and release builds print nothing. A hook is called on
/// the thread that releases the promise. Set it once, when your application starts.
///
/// ```swift
/// PromiseEvents.onUnhandled = { report in log.error("\(report)") }
/// ```
public enum PromiseEvents {
    /// A closure that receives each report.
    public typealias Hook = @Sendable (PromiseReport) -> Void

    /// Called when a rejected promise is released and no handler has handled its error. Cancellations are not reported.
    public static var onUnhandled: Hook? {
        get { hooks.withLock { $0.onUnhandled } }
        set { replace(\.onUnhandled, newValue) }
    }

    /// Called when the last resolver of a pending promise is released. The promise rejects with
    /// ``PromiseError/abandoned``.
    public static var onDropped: Hook? {
        get { hooks.withLock { $0.onDropped } }
        set { replace(\.onDropped, newValue) }
    }

    private struct Hooks {
        var onUnhandled: Hook? = standard
        var onDropped: Hook? = standard
    }

    private static let hooks = Mutex(Hooks())

    /// Replaces a hook. The old hook is released outside the lock, because that may run user code.
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

/// A report for a hook of ``PromiseEvents``.
public struct PromiseReport: Sendable, CustomStringConvertible {
    /// The kinds of report.
    public enum Kind: String, Sendable {
        /// A rejected promise was released before a handler handled its error.
        case unhandled
        /// The last resolver of a pending promise was released.
        case dropped
    }

    /// The kind of this report.
    public let kind: Kind
    /// The unhandled error, or ``PromiseError/abandoned``.
    public let error: any Error
    /// The file and line where the promise was created; for a link, where its chain begins. Nil if there is an
    /// ``origin``. Debug builds of this package only.
    public let site: String?
    /// The work with which the chain begins, such as a request with its type, method and URL. Debug builds of this
    /// package only.
    public let origin: String?

    public var description: String {
        let place = site.map { " (created in \($0))" } ?? ""
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

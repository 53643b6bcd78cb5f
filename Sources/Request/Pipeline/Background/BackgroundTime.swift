/// A source of time in which calls finish after their application has left the foreground.
///
/// By default, it is the time that the system gives. Implement it to use another source, such as a background task of
/// `BackgroundTasks`, or to expire in a test. It may be called on any thread.
public protocol BackgroundTime: Sendable {
    /// Asks for time, and returns at once.
    ///
    /// - Parameters:
    ///   - name: The name of the request, without secrets.
    ///   - onExpiry: Called at most once, on any thread, shortly before the time ends. When it returns, the call has
    ///     failed. It has no effect after the returned closure was called.
    /// - Returns: A closure that gives the time back. The call runs it once, at its end.
    func begin(_ name: String, onExpiry: @escaping @Sendable () -> Void) -> @Sendable () -> Void
}

/// The time that the system gives an application which has left the foreground.
///
/// On iOS, tvOS, watchOS and visionOS, it is an expiring activity of `ProcessInfo`, which applications and their
/// extensions may use. On macOS, the system does not slow the application down meanwhile. On Linux, there is no limit.
package final class SystemBackgroundTime: BackgroundTime {
    /// The time of this process.
    package static let shared = SystemBackgroundTime()

    #if canImport(Darwin)
        private let source: any BackgroundTime = SystemActivity.source
    #endif

    init() {}

    package func begin(_ name: String, onExpiry: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        #if canImport(Darwin)
            source.begin(name, onExpiry: onExpiry)
        #else
            {}
        #endif
    }
}

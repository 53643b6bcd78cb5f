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

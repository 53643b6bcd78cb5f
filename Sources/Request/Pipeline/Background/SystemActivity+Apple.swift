#if canImport(Darwin)
    import Foundation

    /// The activities of `ProcessInfo`.
    ///
    /// Unlike `UIApplication.beginBackgroundTask`, they need no UIKit and no main thread, and extensions and watches
    /// have them too.
    enum SystemActivity {
        #if os(macOS)
            static let source: any BackgroundTime = AwakeActivity()
        #else
            static let source: any BackgroundTime = SharedActivity { name, block in
                ProcessInfo.processInfo.performExpiringActivity(withReason: name, using: block)
            }
        #endif
    }

    #if os(macOS)
        /// Applications on macOS are not suspended, but slowed down and ended when they seem idle.
        private struct AwakeActivity: BackgroundTime {
            func begin(_ name: String, onExpiry: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
                // Unsafe: the object only names the activity, and is not changed.
                nonisolated(unsafe) let activity = ProcessInfo.processInfo.beginActivity(
                    options: .userInitiatedAllowingIdleSystemSleep, reason: name)
                return { ProcessInfo.processInfo.endActivity(activity) }
            }
        }
    #endif
#endif

import Synchronization
import TangoPromise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The time of day, by which cached responses age: that of the system, or of a test.
struct WallTime: Sendable {
    private let custom: (@Sendable () -> Date)?

    /// - Parameters:
    ///   - now: The time, if it is not that of the system.
    ///   - clock: The clock of the client. A manual one moves the time of day as well.
    init(_ now: (@Sendable () -> Date)?, clock: any Clock<Duration>) {
        if let now {
            custom = now
        } else if let clock = clock as? ManualClock {
            let start = Date()
            let beginning = clock.now
            custom = { start.addingTimeInterval(beginning.duration(to: clock.now).inSeconds) }
        } else {
            custom = nil
        }
    }

    var now: Date { custom?() ?? Date() }

    /// The time in seconds since 1970, as stored responses have it.
    var seconds: Double { now.timeIntervalSince1970 }
}

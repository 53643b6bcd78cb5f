import Synchronization
import TangoPromise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The time of day, by which the age of what is kept is told: the system's, or a test's.
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

    /// Now, on the scale of ``ResponseTimes``.
    var seconds: Double { now.timeIntervalSinceReferenceDate }
}

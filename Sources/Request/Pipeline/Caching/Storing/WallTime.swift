import Synchronization

/// The time of day, which determines the age of cached responses: that of the system, of the configuration, or of a
/// manual clock.
package struct WallTime: Sendable {
    private let custom: (@Sendable () -> Date)?

    /// - Parameters:
    ///   - now: The function that returns the time; nil for the time of the system.
    ///   - clock: The clock of the client. A manual clock moves the time of day as well.
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

    /// A Boolean value that indicates whether this is the time of the system.
    package var isSystem: Bool { custom == nil }

    package var now: Date { custom?() ?? Date() }

    /// The time in seconds since 1970, as in stored responses, limited to a range that is safe for calculations.
    package var seconds: Double {
        let seconds = now.timeIntervalSince1970
        return seconds.isNaN ? 0 : max(-1e11, min(seconds, 1e11))
    }
}

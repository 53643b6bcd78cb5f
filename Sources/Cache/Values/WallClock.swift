import TangoPlatform

/// The time of day for the dates of entries, the system's or a test's.
struct WallClock: Sendable {
    private let custom: (@Sendable () -> Date)?

    init(_ custom: (@Sendable () -> Date)?) {
        self.custom = custom
    }

    var now: Date {
        custom?() ?? Date()
    }

    /// The current time on the scale of `Date.timeIntervalSinceReferenceDate`, exact to a few milliseconds. It costs a
    /// quarter of the precise time, and is meant for comparisons.
    var roughly: Double {
        if let custom { return custom().timeIntervalSinceReferenceDate }
        #if canImport(Darwin)
            return Date().timeIntervalSinceReferenceDate
        #else
            var time = timespec()
            clock_gettime(CLOCK_REALTIME_COARSE, &time)
            return Double(time.tv_sec) - Date.timeIntervalBetween1970AndReferenceDate + Double(time.tv_nsec) * 1e-9
        #endif
    }
}

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The time of day that entries are stamped with, the system's or a test's.
struct WallClock: Sendable {
    private let custom: (@Sendable () -> Date)?

    init(_ custom: (@Sendable () -> Date)?) {
        self.custom = custom
    }

    var now: Date {
        custom?() ?? Date()
    }

    /// Now, on the scale of `Date.timeIntervalSinceReferenceDate`, to a few milliseconds: for comparing, at a quarter
    /// of the price.
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

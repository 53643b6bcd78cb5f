#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A time of the system's monotonic clock, in nanoseconds.
struct MonotonicTime: Comparable, Sendable {
    var nanoseconds: Int64

    static var now: MonotonicTime {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    static func + (time: MonotonicTime, duration: Duration) -> MonotonicTime {
        MonotonicTime(nanoseconds: time.nanoseconds + duration.nanoseconds)
    }

    static func < (one: MonotonicTime, other: MonotonicTime) -> Bool {
        one.nanoseconds < other.nanoseconds
    }

    /// Returns the time that has passed since another time.
    func duration(since time: MonotonicTime) -> Duration {
        .nanoseconds(nanoseconds - time.nanoseconds)
    }

    /// Returns the milliseconds from one time to this one, rounded up, and 0 if it has passed.
    func milliseconds(after time: MonotonicTime) -> Int32 {
        Int32(clamping: max(0, (nanoseconds - time.nanoseconds + 999_999) / 1_000_000))
    }
}

extension Duration {
    /// The duration in nanoseconds, at most about a century.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return max(0, min(seconds, 3_000_000_000)) * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    /// The duration in milliseconds.
    var milliseconds: Int64 { nanoseconds / 1_000_000 }
}

#if os(Linux)
    import Glibc
#else
    import Dispatch
#endif

/// The clock of transfers: nanoseconds that never decrease.
package enum MonotonicTime {
    package static func now() -> Int64 {
        #if os(Linux)
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        #else
            return Int64(clamping: DispatchTime.now().uptimeNanoseconds)
        #endif
    }
}

extension Int64 {
    /// This time plus a duration. A negative duration adds nothing; a very long one gives the latest time.
    package func adding(_ duration: Duration) -> Int64 {
        guard duration > .zero else { return self }
        // The components of longer ones may not fit.
        guard duration < .seconds(1 << 32) else { return .max }
        let (seconds, attoseconds) = duration.components
        let (sum, isOver) = addingReportingOverflow(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
        return isOver ? .max : sum
    }
}

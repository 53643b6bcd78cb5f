#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A monotonic clock for periodic work.
enum CoarseClock {
    static var seconds: Int {
        #if canImport(Darwin)
            Int(clock_gettime_nsec_np(CLOCK_UPTIME_RAW_APPROX) / 1_000_000_000)
        #else
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
            return time.tv_sec
        #endif
    }
}

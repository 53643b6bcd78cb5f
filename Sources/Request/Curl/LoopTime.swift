#if os(Linux)
    import Glibc

    /// The time of the loop: nanoseconds that never go back.
    enum LoopTime {
        static func now() -> Int64 {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        }
    }

    extension Int64 {
        /// This time and a duration; the end of time where that is too far away, and at once for a negative one.
        func adding(_ duration: Duration) -> Int64 {
            let (seconds, attoseconds) = duration.components
            guard seconds >= 0, attoseconds >= 0 else { return self }
            guard seconds < 1 << 32 else { return .max }
            return self + seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        }
    }
#endif

#if os(Linux)
    /// The bounds of a turn of the loop: pure values.
    ///
    /// libcurl reads from a socket as long as bytes arrive, up to megabytes in one call. So a few fast servers could keep
    /// the loop from everything else.
    struct CurlTurn {
        /// The highest number of events of sockets in a turn. epoll returns the remaining ones first in the next turn.
        static let mostEvents = 16
        /// The time after which no further transfer continues in the turn: two milliseconds.
        static let longest: Int64 = 2_000_000

        private let start: Int64

        init(at now: Int64) {
            start = now
        }

        /// Returns whether another transfer that gave way may continue in this turn.
        func mayContinue(at now: Int64) -> Bool { now - start < Self.longest }

        /// The bytes that libcurl may deliver in one call.
        struct Allowance {
            static let bytes = 128 << 10

            private var left = Allowance.bytes

            /// Counts bytes. Returns whether their transfer may go on receiving.
            mutating func spend(_ count: Int) -> Bool {
                left -= count
                return left > 0
            }
        }
    }
#endif

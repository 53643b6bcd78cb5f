#if os(Linux)
    /// The decision when to stop watching whether a socket is writable: a pure value.
    ///
    /// libcurl before 8.5 asks to write to a connection of HTTP/2 as long as a request has bytes left, also while the server
    /// lets it send none. The socket is writable all that time, so that a loop that obeys turns without end. A socket to which
    /// nothing was written in several turns rests: for a millisecond, and for longer each time. Anything that is read, which
    /// may be the leave to send more, ends the rest.
    struct WriteBackoff: Equatable {
        /// The bytes that had been written after the last turn.
        private var written: Int64?
        private var idleTurns = 0
        /// The time until which the socket rests; nil if it does not.
        private(set) var end: Int64?

        /// The turns without a byte that are nothing unusual, such as the one in which a connection is made.
        static let patience = 2
        static let shortest: Int64 = 1_000_000
        static let longest: Int64 = 64_000_000

        /// Notes a turn in which the socket was writable. Returns whether it rests now.
        ///
        /// - Parameter total: How many bytes have ever been written to the socket; nil if that is not known.
        mutating func turn(_ total: Int64?, at now: Int64) -> Bool {
            guard let total, total == written else {
                written = total
                idleTurns = 0
                return false
            }
            idleTurns += 1
            guard idleTurns > Self.patience else { return false }
            let doublings = min(idleTurns - Self.patience - 1, 6)
            end = now + min(Self.shortest << Int64(doublings), Self.longest)
            return true
        }

        /// Ends the rest at its time; the next one will be longer.
        mutating func wake(at now: Int64) -> Bool {
            guard let end, end <= now else { return false }
            self.end = nil
            return true
        }

        /// Ends the rest, as something has changed.
        mutating func reset() {
            idleTurns = 0
            end = nil
        }
    }
#endif

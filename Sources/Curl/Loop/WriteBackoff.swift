#if os(Linux)
    /// The decision when to stop watching a socket for writing: a pure value.
    ///
    /// libcurl before 8.5 asks to write to an HTTP/2 connection as long as a request has bytes left, even if flow
    /// control forbids it. The socket stays writable all that time, so the loop would never sleep.
    ///
    /// A socket to which several turns wrote nothing rests: first for a millisecond, then for longer each time.
    /// Anything that is read ends the rest, because it may permit sending again.
    struct WriteBackoff: Equatable {
        /// The bytes that had been written after the last turn.
        private var written: Int64?
        private var idleTurns = 0
        /// The time until which the socket rests; nil if it does not.
        private(set) var end: Int64?

        /// The number of turns without a byte that is normal, for example while a connection is established.
        static let normalIdleTurns = 2
        static let shortest: Int64 = 1_000_000
        static let longest: Int64 = 64_000_000

        /// Records a turn in which the socket was writable. Returns whether the socket rests now.
        ///
        /// - Parameter total: The number of bytes ever written to the socket; nil if unknown.
        mutating func turn(_ total: Int64?, at now: Int64) -> Bool {
            guard let total, total == written else {
                written = total
                idleTurns = 0
                return false
            }
            idleTurns += 1
            guard idleTurns > Self.normalIdleTurns else { return false }
            let doublings = min(idleTurns - Self.normalIdleTurns - 1, 6)
            end = now + min(Self.shortest << Int64(doublings), Self.longest)
            return true
        }

        /// Ends the rest when its time has passed. The next rest is longer.
        mutating func wake(at now: Int64) -> Bool {
            guard let end, end <= now else { return false }
            self.end = nil
            return true
        }

        /// Ends the rest, because the state of the socket has changed.
        mutating func reset() {
            idleTurns = 0
            end = nil
        }
    }
#endif

#if os(Linux)
    /// The bounds of a turn of the loop: pure values.
    ///
    /// libcurl reads from a socket as long as bytes arrive, up to megabytes in one call. So a few fast servers could keep
    /// the loop from everything else.
    struct CurlTurn {
        /// The highest number of events of sockets in a turn. epoll returns the remaining ones first in the next turn.
        static let mostEvents = 16
        /// The highest number of transfers that begin in a turn. Responses that arrive meanwhile are delivered before more
        /// begin, so that other threads need not wait for all of them.
        static let mostStarts = 16
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

    /// The transfers that have something to deliver after a pass of the loop.
    struct CurlNews {
        private var transfers: [CurlTransfer] = []
        /// A Boolean value that indicates whether some news must be delivered at once.
        private var isUrgent = false
        /// The number of bytes of streams in the news, and the time at which the first of them arrived.
        private var bytes = 0
        private var time: Int64 = 0

        private static let enoughBytes = 256 << 10
        /// The longest time for which portions wait: a millisecond.
        private static let longest: Int64 = 1_000_000

        /// Adds a transfer with a new portion of a stream.
        mutating func add(_ transfer: CurlTransfer, bytes count: Int, at now: Int64) {
            if bytes == 0 { time = now }
            bytes += count
            add(transfer)
        }

        /// Adds a transfer whose news is delivered after this pass.
        mutating func addUrgent(_ transfer: CurlTransfer) {
            isUrgent = true
            add(transfer)
        }

        private mutating func add(_ transfer: CurlTransfer) {
            guard !transfer.isNoted else { return }
            transfer.isNoted = true
            transfers.append(transfer)
        }

        /// Returns whether the news may wait for further portions that have already arrived. So fewer threads are woken.
        func mayWait(at now: Int64) -> Bool {
            !transfers.isEmpty && !isUrgent && bytes < Self.enoughBytes && now - time < Self.longest
        }

        mutating func take() -> [CurlTransfer.News] {
            guard !transfers.isEmpty else { return [] }
            isUrgent = false
            bytes = 0
            defer { transfers.removeAll(keepingCapacity: true) }
            return transfers.compactMap { transfer in
                transfer.isNoted = false
                return transfer.publish()
            }
        }
    }

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

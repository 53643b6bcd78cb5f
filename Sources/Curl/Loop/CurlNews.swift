#if os(Linux)
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
#endif

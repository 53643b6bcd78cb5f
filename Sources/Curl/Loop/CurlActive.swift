#if os(Linux)
    /// The transfers that have begun or wait in the queue. Each transfer stores its index as `place`.
    struct CurlActive {
        private(set) var all: [CurlTransfer] = []

        var isEmpty: Bool { all.isEmpty }

        mutating func insert(_ transfer: CurlTransfer) {
            guard transfer.place == nil else { return }
            transfer.place = all.count
            all.append(transfer)
        }

        mutating func remove(_ transfer: CurlTransfer) {
            guard let place = transfer.place else { return }
            transfer.place = nil
            let last = all.removeLast()
            guard last !== transfer else { return }
            all[place] = last
            last.place = place
        }
    }
#endif

#if os(Linux)
    /// The timeouts of a transfer.
    extension CurlTransfer {
        /// Starts the timeout of the connection. libcurl does not count the time in which a request waits to share a
        /// connection.
        func beginConnecting(at now: Int64) {
            connectStart = now
        }

        var deadline: TransferDeadline {
            let part: TransferDeadline.Part =
                if isConnected {
                    isAdded && !isReceivingPaused && !isSendingPaused ? .exchanging(since: lastActivity) : .held
                } else {
                    connectStart.map { .connecting(since: $0) } ?? .held
                }
            return TransferDeadline(whole: wholeDeadline, part, options.timeouts)
        }

        /// Returns the error of a timeout that has passed, or nil.
        func overdue(at now: Int64, lastSocketActivity: (Int32) -> Int64) -> RequestError? {
            var deadline = deadline
            guard deadline.time <= now else { return nil }
            if deadline.code == .idleTimedOut, let handle, !(handle.pool.speaksHTTP2 && mayMultiplex) {
                // libcurl may hold back received bytes, such as half a line. In HTTP/2, bytes may belong to other
                // transfers.
                lastActivity = max(lastActivity, lastSocketActivity(handle.socket))
                deadline = self.deadline
                guard deadline.time <= now else { return nil }
            }
            return error(deadline.code, options.detail(of: deadline.code))
        }
    }
#endif

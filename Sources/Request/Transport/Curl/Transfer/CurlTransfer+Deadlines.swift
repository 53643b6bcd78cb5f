#if os(Linux)
    /// The timeouts of a transfer.
    extension CurlTransfer {
        private var isIdleTimed: Bool {
            isConnected && isAdded && !isReceivingPaused && !isSendingPaused
        }

        /// Starts the timeout of the connection. libcurl does not count the time in which a request waits to share a
        /// connection.
        func beginConnecting(at now: Int64) {
            connectDeadline = options.timeouts.connect.map(now.adding) ?? .max
        }

        var nextDeadline: Int64 {
            guard isConnected else { return min(totalDeadline, connectDeadline) }
            guard let idle = options.timeouts.idle, isIdleTimed else { return totalDeadline }
            return min(totalDeadline, lastActivity.adding(idle))
        }

        private func timedOut(_ code: RequestError.Code) -> RequestError {
            error(code, options.timeouts.detail(of: code))
        }

        /// Returns the error of a timeout that has passed, or nil.
        func overdue(at now: Int64, lastSocketActivity: (Int32) -> Int64) -> RequestError? {
            if now >= totalDeadline {
                return timedOut(.totalTimedOut)
            }
            if !isConnected, now >= connectDeadline {
                return timedOut(.connectTimedOut)
            }
            guard let idle = options.timeouts.idle, isIdleTimed, let handle else { return nil }
            if now >= lastActivity.adding(idle), !(handle.pool.speaksHTTP2 && mayMultiplex) {
                // libcurl may hold back received bytes, such as half a line. In HTTP/2, bytes may belong to other
                // transfers.
                lastActivity = max(lastActivity, lastSocketActivity(handle.socket))
            }
            guard now >= lastActivity.adding(idle) else { return nil }
            return timedOut(.idleTimedOut)
        }
    }
#endif

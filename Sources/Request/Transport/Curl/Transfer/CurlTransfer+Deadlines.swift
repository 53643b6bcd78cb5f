#if os(Linux)
    /// Waiting too long.
    extension CurlTransfer {
        private var isIdleTimed: Bool {
            isConnected && isAdded && !isReceivingPaused && !isSendingPaused
        }

        /// Begins to count the time for the connection. libcurl does not while a request waits to see whether another's
        /// connection carries it too.
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

        /// Why the transfer must end now, if it must.
        func overdue(at now: Int64, lastSocketActivity: (Int32) -> Int64) -> RequestError? {
            if now >= totalDeadline {
                return timedOut(.totalTimedOut)
            }
            if !isConnected, now >= connectDeadline {
                return timedOut(.connectTimedOut)
            }
            guard let idle = options.timeouts.idle, isIdleTimed, let handle else { return nil }
            if now >= lastActivity.adding(idle), !(handle.pool.speaksHTTP2 && mayMultiplex) {
                // Bytes may have come that libcurl has not passed on, such as half a line; in HTTP/2, for others as well.
                lastActivity = max(lastActivity, lastSocketActivity(handle.socket))
            }
            guard now >= lastActivity.adding(idle) else { return nil }
            return timedOut(.idleTimedOut)
        }
    }
#endif

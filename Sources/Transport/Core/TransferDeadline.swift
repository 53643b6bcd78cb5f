/// The next timeout of a transfer, and the code of its error. Both transports use this decision.
package struct TransferDeadline: Equatable {
    /// The part of a transfer that its timeouts depend on, with the time from which the timeout counts.
    package enum Part {
        /// The transfer waits for its turn, for its reader or for its body. Only the time as a whole counts.
        case held
        case connecting(since: Int64)
        /// The library does not tell connecting from waiting, so the sum of both timeouts applies.
        case connectingOrWaiting(since: Int64)
        /// Bytes are expected, in either direction.
        case exchanging(since: Int64)
    }

    package private(set) var time: Int64
    package private(set) var code: RequestError.Code

    /// - Parameter whole: The time at which the limit of the transfer as a whole passes.
    package init(whole: Int64, _ part: Part, _ timeouts: Timeouts) {
        time = whole
        code = timeouts.whole.code
        switch part {
        case .held: break
        case .connecting(let start):
            if let connect = timeouts.connect { limit(to: start.adding(connect), .connectTimedOut) }
        case .connectingOrWaiting(let start):
            if let connect = timeouts.connect, let idle = timeouts.idle {
                limit(to: start.adding(connect).adding(idle), .idleTimedOut)
            }
        case .exchanging(let start):
            if let idle = timeouts.idle { limit(to: start.adding(idle), .idleTimedOut) }
        }
    }

    private mutating func limit(to time: Int64, _ code: RequestError.Code) {
        if time < self.time { (self.time, self.code) = (time, code) }
    }
}

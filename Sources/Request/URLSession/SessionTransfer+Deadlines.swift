/// Waiting too long.
extension SessionTransfer {
    /// When what ends, if nothing happens until then: a pure function of where the transfer is.
    struct Deadline: Equatable {
        var time = Int64.max
        var code = RequestError.Code.totalTimedOut

        static func of(_ state: borrowing State, _ timeouts: Timeouts, hasBody: Bool) -> Deadline {
            var deadline = Deadline(time: state.totalDeadline)
            func consider(_ time: Int64, _ code: RequestError.Code) {
                if time < deadline.time { deadline = Deadline(time: time, code: code) }
            }
            guard state.isAdmitted, !state.isHeld, !state.isBodyAwaited else { return deadline }
            if state.isConnected {
                if let idle = timeouts.idle {
                    consider(SessionTime.adding(idle, to: state.lastActivity), .idleTimedOut)
                }
            } else if hasBody {
                // The first byte of a body is a sign that the connection is there.
                if let connect = timeouts.connect {
                    consider(SessionTime.adding(connect, to: state.lastActivity), .connectTimedOut)
                }
            } else if let connect = timeouts.connect, let idle = timeouts.idle {
                // Nothing tells the time of connecting from that of waiting: it has the time of both.
                let connected = SessionTime.adding(connect, to: state.lastActivity)
                consider(connected == .max ? .max : SessionTime.adding(idle, to: connected), .idleTimedOut)
            }
            return deadline
        }
    }

    private func deadline(of state: borrowing State) -> Deadline {
        Deadline.of(state, options.timeouts, hasBody: hasBodyBytes)
    }

    /// Has the timer ring at the next deadline, where that is sooner than it would.
    func watch() {
        let (timer, time) = state.withLock { state -> (SessionTimer?, Int64) in
            let time = deadline(of: state).time
            guard state.ending == nil, time < state.scheduled else { return (nil, 0) }
            state.scheduled = time
            if state.timer == nil { state.timer = SessionTimer { [weak self] in self?.checkTime() } }
            return (state.timer, time)
        }
        timer?.set(time)
    }

    func checkTime() {
        let now = SessionTime.now()
        let (overdue, phase) = state.withLock { state -> (RequestError.Code?, RequestError.Phase) in
            let deadline = deadline(of: state)
            state.scheduled = .max
            return (deadline.time <= now ? deadline.code : nil, state.phase(hasBody: hasBodyBytes))
        }
        let timeouts = options.timeouts
        switch overdue {
        case .totalTimedOut?:
            fail(.totalTimedOut, "it was not done within \(timeouts.total ?? .zero)", phase: phase)
        case .connectTimedOut?:
            fail(.connectTimedOut, "no connection came about within \(timeouts.connect ?? .zero)", phase: .connect)
        case .idleTimedOut?:
            fail(.idleTimedOut, "nothing was sent or received for \(timeouts.idle ?? .zero)", phase: phase)
        default: watch()
        }
    }
}

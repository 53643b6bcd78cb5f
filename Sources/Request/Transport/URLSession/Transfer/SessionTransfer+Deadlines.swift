#if canImport(Darwin) || URLSessionOnLinux
    /// The timeouts of a transfer.
    extension SessionTransfer {
        /// The next timeout of a transfer and its error code: a pure function of the state.
        struct Deadline: Equatable {
            var time = Int64.max
            var code = RequestError.Code.totalTimedOut

            static func of(_ state: borrowing State, _ timeouts: Timeouts, hasBody: Bool) -> Deadline {
                var deadline = Deadline(time: state.totalDeadline)
                func consider(_ time: Int64, _ code: RequestError.Code) {
                    if time < deadline.time { deadline = Deadline(time: time, code: code) }
                }
                guard state.isAdmitted, !state.feed.isHeld, !state.isBodyAwaited else { return deadline }
                if state.isConnected {
                    if let idle = timeouts.idle {
                        consider(state.lastActivity.adding(idle), .idleTimedOut)
                    }
                } else if hasBody {
                    // The first byte of a body that is sent indicates that the connection is established.
                    if let connect = timeouts.connect {
                        consider(state.lastActivity.adding(connect), .connectTimedOut)
                    }
                } else if let connect = timeouts.connect, let idle = timeouts.idle {
                    // Connecting cannot be distinguished from waiting, so the sum of both timeouts applies.
                    let connected = state.lastActivity.adding(connect)
                    consider(connected == .max ? .max : connected.adding(idle), .idleTimedOut)
                }
                return deadline
            }
        }

        private func deadline(of state: borrowing State) -> Deadline {
            Deadline.of(state, options.timeouts, hasBody: hasBodyBytes)
        }

        /// Schedules the timer for the next deadline, unless it fires earlier.
        func watch() {
            let (timer, time) = state.withLock { state -> (SessionTimer?, Int64) in
                let time = deadline(of: state).time
                guard state.feed.ending == nil, time < state.scheduled else { return (nil, 0) }
                state.scheduled = time
                if state.timer == nil { state.timer = SessionTimer { [weak self] in self?.checkTime() } }
                return (state.timer, time)
            }
            timer?.set(time)
        }

        func checkTime() {
            let now = MonotonicTime.now()
            let (overdue, phase) = state.withLock { state -> (RequestError.Code?, RequestError.Phase) in
                let deadline = deadline(of: state)
                state.scheduled = .max
                return (deadline.time <= now ? deadline.code : nil, state.phase(hasBody: hasBodyBytes))
            }
            guard let overdue else { return watch() }
            fail(overdue, options.timeouts.detail(of: overdue), phase: overdue == .connectTimedOut ? .connect : phase)
        }
    }
#endif

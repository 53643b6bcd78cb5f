#if canImport(Darwin) || URLSessionOnLinux
    /// The timeouts of a transfer.
    extension SessionTransfer {
        private func deadline(of state: borrowing State) -> TransferDeadline {
            TransferDeadline(
                whole: state.wholeDeadline, state.deadlinePart(hasBody: hasBodyBytes), options.timeouts)
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
            fail(overdue, options.detail(of: overdue), phase: overdue == .connectTimedOut ? .connect : phase)
        }
    }
#endif

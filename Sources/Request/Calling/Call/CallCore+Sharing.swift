/// A run that shares the transfer of other calls.
extension CallCore {
    /// Waits for a transfer that it shares with other calls.
    func wait(for flight: Flight, number: Int) {
        let priority = priority
        if priority != flight.core.plan.priority { flight.waiters.havePriorities.store(true, ordering: .relaxed) }
        let (isFinished, old, states, progress) = state.withLock { state in
            // If the transfer has ended meanwhile, something else carries the run.
            guard !state.phase.isFinished, flight.isWaiting(number) else {
                return (
                    state.phase.isFinished, CallWork.none, Broadcast<CallState>?.none, Broadcast<CallProgress>?.none
                )
            }
            let replaced = replace(&state.work, with: .flight(flight, number: number, isLogged: false))
            // Read under this lock, so that a change of the transfer that this misses is delivered after it.
            let (phase, wait) = flight.core.phaseForJoiners
            let states = state.become(phase, for: wait)
            return (false, replaced, states, state.values[Followers.self]?.progress)
        }
        withExtendedLifetime(old) {}
        states?.deliver()
        if isFinished { flight.leave(number) } else { flight.core.raisePriority(to: priority) }
        progress?.follow(flight.core, or: self)
    }

    /// Changes the phase, and that of the calls that share this transfer.
    func becomeWithJoiners(_ phase: CallState, for wait: CallWait? = nil) {
        become(phase, for: wait)
        guard case .waiters(let waiters) = receiver else { return }
        for call in waiters.sharedTransfers.calls(of: waiters) { call.become(phase, for: wait) }
    }

    /// The phase that a call has while it waits for this transfer.
    private var phaseForJoiners: (CallState, CallWait?) {
        state.withLock { state in
            let wait = state.values[CallWait.self]
            let hasNotBegun = state.phase == .queued && wait == nil
            return hasNotBegun || state.phase.isFinished ? (.running, nil) : (state.phase, wait)
        }
    }

    /// Adds the log of a transfer that the run has shared, and the time for which it has waited for a network.
    ///
    /// - Parameter core: The transfer, if its log may go on.
    func add(_ attempts: [Attempt], waited: Duration, of core: CallCore? = nil) {
        guard core != nil || !attempts.isEmpty || waited > .zero else { return }
        let old = state.withLock { state -> SharedLog? in
            if case .flight(let flight, let number, _) = state.work {
                state.work = .flight(flight, number: number, isLogged: true)
            }
            if waited > .zero { state.values[WaitedTime.self, default: WaitedTime()].total += waited }
            let old = state.values[SharedLog.self]
            if let old { state.attempts = old.completing(state.attempts) }
            if core != nil || old != nil {
                state.values[SharedLog.self] = core.map {
                    SharedLog(core: $0, start: state.attempts.count, count: attempts.count)
                }
            }
            // Mostly the log of the transfer is all, and is shared.
            let added = attempts.numbered(after: state.attempts.newestNumber)
            state.attempts = state.attempts.isEmpty ? added : state.attempts + added
            return old
        }
        withExtendedLifetime(old) {}
    }

    /// Takes over the log of a transfer that the run has left before its end. Without other calls, the transfer was cancelled.
    func logSharedAttempts(of work: CallWork, _ error: any Error) {
        guard case .flight(let flight, _, isLogged: false) = work else { return }
        add(flight.core.attempts, waited: flight.core.waitedTime)
        let goesOn = flight.core.phase != .finished(.cancelled)
        if goesOn { changeLastAttempt { $0.isOfOthers = true } }
        endLastAttempt(.failure(error))
    }

    /// Takes an event of the transfer that the run shares as one of its own.
    func notify(ofShared content: CallEvent.Content) {
        guard let events else { return }
        var content = content
        content.attempt = content.attempt.map { $0 + attemptCount }
        if case .response(let response) = content.kind {
            received(content, response)
        } else {
            events.notify(content, of: self)
        }
    }

    /// The number of the call whose transfer the run shares, or has shared.
    package var joinedCall: UInt64? { state.withLock(\.joinedCall) }
}

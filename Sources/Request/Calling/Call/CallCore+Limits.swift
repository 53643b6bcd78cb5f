/// The time limits of a run: as a whole, and while it waits for a network or for credentials.
extension CallCore {
    /// The time that the run has left; nil without a limit. A shared transfer has that of the call with the most.
    var remainingTime: Duration? {
        guard case .waiters(let waiters) = receiver else { return state.withLock(\.deadline)?.remaining }
        var longest = Duration.zero
        for call in waiters.sharedTransfers.calls(of: waiters) {
            guard let time = call.remainingTime else { return nil }
            longest = max(longest, time)
        }
        return longest
    }

    /// Sets the deadline.
    ///
    /// - Parameter error: The error that ends the run then; nil for one that says how far the run has come.
    func startDeadline(_ total: Duration, _ error: (any Error)? = nil) {
        let alarm = Alarm(after: total, on: plan.client.configuration.clock) { [weak self] in
            if let error { self?.finish(with: error) } else { self?.endForTime() }
        }
        let isFinished = state.withLock { state in
            if !state.phase.isFinished { state.deadline = alarm }
            return state.phase.isFinished
        }
        if isFinished { alarm.cancel() }
    }

    /// Ends the run because its time is over. The error says how far it has come.
    private func endForTime() {
        let run = state.withLock(\.work.flight)?.core ?? self
        let report = TimeoutReport(run)
        var response = report.isSending ? run.state.withLock(\.attempts.last?.response) : exchanged.response
        // Neither a cached response nor that of an earlier attempt has anything to do with the failure.
        if response?.source.isCache == true || ![.receive, .decode].contains(report.phase) { response = nil }
        end(
            RequestError(
                .totalTimedOut, phase: report.phase, detail: report.detail(limit: plan.total),
                request: exchanged.request, response: response, underlying: report.underlying),
            as: .failure)
    }

    // MARK: Waits

    /// The time for which the run has waited for a network, with the transfer that it shares.
    var waitedTime: Duration {
        let (waited, flight) = state.withLock { ($0.values[WaitedTime.self], $0.unloggedFlight) }
        return (waited?.total ?? .zero) + (waited?.current?() ?? .zero) + (flight?.core.waitedTime ?? .zero)
    }

    /// Runs a function that waits for credentials, and ends the run if this takes too long. The next attempt has its time.
    ///
    /// - Parameter limit: The longest time; nil for no limit.
    package func holding<Result>(limit: Duration?, _ work: () async throws -> Result) async rethrows -> Result {
        let alarm = Alarm(after: limit, on: plan.client.configuration.clock) { [weak self] in
            self?.fail(
                .authenticationTimedOut,
                "the call waited \(limit ?? .zero) for credentials: check the server that issues them, or raise holdLimit"
            )
        }
        defer {
            alarm.cancel()
            let time = alarm.elapsed
            state.withLock { state in
                let held = state.values[NextAttempt.self]?.held ?? .zero
                state.values[NextAttempt.self, default: NextAttempt()].held = held + time
            }
        }
        return try await work()
    }
}

/// The time for which a run has waited for a network.
struct WaitedTime: Sendable {
    /// The time of the waits that are over.
    var total = Duration.zero
    /// Returns the time since the beginning of the current waits. Those that overlap count once.
    private(set) var current: (@Sendable () -> Duration)?
    /// The number of waits that are not over, such as those of the parts of a download.
    private var count = 0

    mutating func begin(_ current: @escaping @Sendable () -> Duration) {
        if count == 0 { self.current = current }
        count += 1
    }

    /// Ends one wait.
    ///
    /// - Parameter time: The result of ``current``.
    mutating func end(after time: Duration) {
        count -= 1
        guard count == 0 else { return }
        total += time
        current = nil
    }
}

/// The time limit of a run as a whole.
extension CallCore {
    /// The time that the run has left; nil without a limit.
    var remainingTime: Duration? { state.withLock(\.remaining).map { $0() } }

    /// Sets the deadline. It is fixed at once, so that a clock which is advanced right after has a sleeper.
    func startDeadline(_ total: Duration, on clock: some Clock<Duration>) {
        let instant = clock.instant(after: total)
        let deadline = Task { [weak self] in
            do { try await clock.sleep(until: instant, tolerance: nil) } catch { return }
            self?.endForTime()
        }
        let isFinished = state.withLock { state in
            if !state.phase.isFinished {
                state.deadline = deadline
                state.remaining = { clock.now.duration(to: instant) }
            }
            return state.phase.isFinished
        }
        if isFinished { deadline.cancel() }
    }

    /// Ends the run because its time is over. The error says how far it has come.
    private func endForTime() {
        let run = state.withLock(\.work.flight)?.core ?? self
        let report = run.timeoutReport
        var response = report.isSending ? run.state.withLock(\.attempts.last?.response) : exchanged.response
        // Neither a cached response nor that of an earlier attempt has anything to do with the failure.
        if response?.source.isCache == true || ![.receive, .decode].contains(report.phase) { response = nil }
        end(
            RequestError(
                .totalTimedOut, phase: report.phase, detail: report.detail(limit: plan.total),
                request: exchanged.request, response: response, underlying: report.underlying),
            as: .failure)
    }

    /// The point that the run has reached.
    private var timeoutReport: TimeoutReport {
        let progress = transportProgress
        return state.withLock { state in
            TimeoutReport(
                state: state.phase, wait: state.wait, attempts: state.attempts.newestNumber,
                isSending: state.attempts.last.map { $0.ended == nil } ?? false,
                hasHead: state.attempts.last?.response != nil, failure: state.attempts.last?.error,
                transfer: TransferMoment(progress))
        }
    }
}

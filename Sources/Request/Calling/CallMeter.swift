/// An object that measures the calls of a client, without the queue of the observers. Its functions run on the threads of calls.
package protocol CallMeter: AnyObject, Sendable {
    /// An attempt has ended. The body of a streamed response follows it.
    func attemptEnded(_ attempt: Attempt, _ outcome: Result<HTTPResponse, any Error>)

    /// The body of a streamed response has ended.
    func bodyEnded(of attempt: Attempt)

    /// A call has ended.
    func callEnded(_ call: AnyCall, as kind: FinishedState, after time: Duration)
}

extension CallCore {
    /// Measures the end of an attempt.
    func measureEnd(of number: Int, _ outcome: Result<HTTPResponse, any Error>) {
        guard let meter = plan.client.meter, let attempt = state.withLock({ $0.attempts[number: number] }) else {
            return
        }
        meter.attemptEnded(attempt, outcome)
    }

    /// Measures the end of a streamed body.
    func measureBody(of number: Int) {
        guard let meter = plan.client.meter, let attempt = state.withLock({ $0.attempts[number: number] }) else {
            return
        }
        meter.bodyEnded(of: attempt)
    }

    /// Measures the end of the run.
    func measureEnd(_ kind: FinishedState) {
        guard let meter = plan.client.meter, case .call = receiver, let began else { return }
        meter.callEnded(AnyCall(self), as: kind, after: began.instant.duration(to: .now))
    }
}

extension AnyCall {
    /// The start and the end of the call, and the time that decoding took, as far as they are measured: see
    /// ``CallCore/began``.
    package var times: (started: ContinuousClock.Instant?, ended: ContinuousClock.Instant?, decoding: Duration?) {
        let (ended, decoding) = core.state.withLock { ($0.ended, $0.decoding) }
        return (core.began?.instant, ended?.instant, decoding)
    }
}

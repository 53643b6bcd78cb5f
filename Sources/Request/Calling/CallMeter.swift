/// An object that measures the calls of a client, without the queue of the observers. Its functions run on the threads of calls.
package protocol CallMeter: AnyObject, Sendable {
    /// An attempt has ended. The body of a streamed response follows it.
    func attemptEnded(_ attempt: Attempt, _ outcome: Result<HTTPResponse, any Error>)

    /// The body of a streamed response has ended.
    func bodyEnded(of attempt: Attempt)

    /// A call has ended.
    func callEnded(_ call: AnyCall, as kind: FinishedState, after time: Duration)
}

extension AnyCall {
    /// The start and the end of the call, and the time that decoding took, as far as they are measured: see
    /// ``CallCore/began``.
    package var times: (started: ContinuousClock.Instant?, ended: ContinuousClock.Instant?, decoding: Duration?) {
        let (ended, decoding) = core.state.withLock { ($0.ended, $0.decoding) }
        return (core.began?.instant, ended?.instant, decoding)
    }
}

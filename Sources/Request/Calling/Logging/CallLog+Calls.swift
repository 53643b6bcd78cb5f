/// The entries of calls in the log of their client.
extension CallLog {
    private var text: LogText { LogText(level: level, bodyLimit: bodyLimit) }

    func sending(_ request: HTTPRequest, attempt number: Int, of core: CallCore) {
        guard let cause = core.state.withLock({ $0.attempts[number: number]?.cause }) else { return }
        write(text.sending(request, cause), attempt: number, of: core)
    }

    /// Writes the end of an attempt, or the head of its streamed response.
    func ended(_ attempt: Attempt, _ outcome: Result<HTTPResponse, any Error>, of core: CallCore) {
        switch outcome {
        case .success(let response):
            let text = text.received(response, after: attempt.started.duration(to: .now))
            write(text, response.status.code < 400 ? .info : .warning, attempt: attempt.number, of: core)
        case .failure(let error): failed(attempt, error, of: core)
        }
    }

    /// Writes the end of a streamed body.
    func endedBody(of attempt: Attempt, _ end: AttemptBody.End, of core: CallCore) {
        switch end {
        case .success(let ending):
            let elapsed = attempt.started.duration(to: .now)
            let text = text.endOfBody(ending?.metrics.bodyBytesReceived, after: elapsed)
            write(text, attempt: attempt.number, of: core)
        case .failure(let error): failed(attempt, error, of: core)
        }
    }

    private func failed(_ attempt: Attempt, _ error: any Error, of core: CallCore) {
        if error is CancellationError { return }
        let text = text.failed(error, after: attempt.started.duration(to: .now), Self.redaction(of: core))
        write(text, .warning, attempt: attempt.number, of: core)
    }

    /// Writes an event between attempts.
    func event(_ kind: CallEvent.Kind, of core: CallCore) {
        switch kind {
        case .following(let cause, let request, let delay):
            let time = delay > .zero ? " in \(delay.text)" : ""
            write("\(cause)\(cause == .redirect ? " to \(request)" : "")\(time)", of: core)
        case .waiting(.queue): write("waits for a slot of the limiter", of: core)
        case .waiting(.connectivity): write("waits for a network", of: core)
        case .waiting(let wait): write("waits: \(wait)", of: core)
        default: break
        }
    }

    /// Writes that a call shares the transfer of another call.
    func joined(_ waiters: Waiters, _ core: CallCore) {
        write("joins #\(waiters.firstCall): \(waiters.message)", of: core)
    }

    /// Writes the end of a call, unless an attempt has shown it.
    func ended(_ core: CallCore, _ error: (any Error)?) {
        guard case .call = core.receiver else { return }
        if let error {
            let text = LogText.ended(core.plan.naming(error), Self.redaction(of: core))
            write(text, error is CancellationError ? .info : .error, of: core)
        } else if let response = core.response, response.source.isCache {
            write(text.cached(response), of: core)
        }
    }

    /// The redaction of a call, with the secrets of its messages, which the text of an error may repeat.
    private static func redaction(of core: CallCore) -> Redaction {
        (core.plan.redaction ?? .standard).knowing(core.newestRequest, core.response)
    }

    private func write(
        _ text: String, _ severity: Entry.Severity = .info, attempt number: Int? = nil, of core: CallCore
    ) {
        // A shared transfer has the number of the call that began it.
        let call = if case .waiters(let waiters) = core.receiver { waiters.firstCall } else { core.id }
        sink(Entry(severity, call: call, attempt: number, text: text))
    }
}

/// The entries of a run in the log of its client.
extension CallCore {
    /// The log of the client; nil if it is off.
    private var log: CallLog? { plan.client.log }

    /// The number of the call in the log: a shared transfer has that of the call which began it.
    private var loggedID: UInt64 {
        if case .waiters(let waiters) = receiver { waiters.firstCall } else { id }
    }

    func logSending(_ request: HTTPRequest, attempt number: Int, _ cause: Attempt.Cause) {
        guard let log else { return }
        write(log.text.sending(request, cause), attempt: number, to: log)
    }

    /// Writes the end of an attempt, or the head of its streamed response.
    func logEnd(of number: Int, _ outcome: Result<HTTPResponse, any Error>) {
        guard let log else { return }
        let elapsed = elapsed(of: number)
        switch outcome {
        case .success(let response):
            let text = log.text.received(response, after: elapsed)
            write(text, response.status.code < 400 ? .info : .warning, attempt: number, to: log)
        case .failure(let error) where error is CancellationError: break
        case .failure(let error):
            write(log.text.failed(error, after: elapsed, knownRedaction), .warning, attempt: number, to: log)
        }
    }

    /// Writes the end of a streamed body.
    func logBody(of number: Int, _ end: AttemptBody.End) {
        guard let log else { return }
        let elapsed = elapsed(of: number)
        switch end {
        case .success(let ending):
            let text = log.text.endOfBody(ending?.metrics.bodyBytesReceived, after: elapsed)
            write(text, attempt: number, to: log)
        case .failure(let error) where error is CancellationError: break
        case .failure(let error):
            write(log.text.failed(error, after: elapsed, knownRedaction), .warning, attempt: number, to: log)
        }
    }

    /// Writes an event between attempts.
    func log(_ kind: CallEvent.Kind) {
        guard let log else { return }
        switch kind {
        case .following(let cause, let request, let delay):
            let time = delay > .zero ? " in \(delay.text)" : ""
            write("\(cause)\(cause == .redirect ? " to \(request)" : "")\(time)", to: log)
        case .waiting(.queue): write("waits for a slot of the limiter", to: log)
        case .waiting(.connectivity): write("waits for a network", to: log)
        case .waiting(let wait): write("waits: \(wait)", to: log)
        default: break
        }
    }

    /// Writes that the run shares the transfer of another call.
    func logJoining(_ waiters: Waiters) {
        guard let log else { return }
        write("joins #\(waiters.firstCall): \(waiters.message)", to: log)
    }

    /// Writes the end of the run, unless an attempt has shown it.
    func logEnd(_ error: (any Error)?) {
        guard let log, case .call = receiver else { return }
        if let error {
            let isCancelled = error is CancellationError
            return write(LogText.ended(plan.naming(error), knownRedaction), isCancelled ? .info : .error, to: log)
        }
        guard let response, response.source.isCache else { return }
        write(log.text.cached(response), to: log)
    }

    /// The redaction of the run, with the secrets of its messages, which the text of an error may repeat.
    private var knownRedaction: Redaction {
        (plan.redaction ?? .standard).knowing(newestRequest, response)
    }

    /// Returns the time since the beginning of an attempt.
    private func elapsed(of number: Int) -> Duration {
        state.withLock { $0.attempts[number: number]?.started }?.duration(to: .now) ?? .zero
    }

    private func write(
        _ text: String, _ severity: CallLog.Entry.Severity = .info, attempt number: Int? = nil, to log: CallLog
    ) {
        log.sink(CallLog.Entry(severity, call: loggedID, attempt: number, text: text))
    }
}

extension CallLog {
    fileprivate var text: LogText { LogText(level: level, bodyLimit: bodyLimit) }
}

/// The phase and the text of the error when the time of a call is over. A pure decision.
struct TimeoutReport {
    let state: CallState
    /// The reason for which the call waits, if it does.
    let wait: CallWait?
    /// The number of attempts so far.
    let attempts: Int
    /// A Boolean value that indicates whether the last attempt is in flight.
    let isSending: Bool
    /// A Boolean value that indicates whether the last attempt has the head of a response.
    let hasHead: Bool
    /// The error of the last attempt.
    let failure: (any Error)?
    let transfer: TransferMoment

    var phase: RequestError.Phase {
        if isSending { return transfer.phase ?? (hasHead ? .receive : .wait) }
        return isWaiting || attempts == 0 || failure != nil ? .prepare : .decode
    }

    /// The failure after which the call was to be sent again.
    var underlying: (any Error)? { isSending ? nil : failure }

    private var isWaiting: Bool {
        if case .retrying = state { true } else { wait != nil }
    }

    func detail(limit: Duration?) -> String {
        "\(Timeouts.late("the call", limit, place)): try again, or raise Timeouts.total"
    }

    private var place: String {
        let before = attempts > 1 || attempts > 0 && !isSending ? "attempt \(attempts)" : ""
        if isSending { return before.isEmpty ? "\(transfer)" : "\(before): \(transfer)" }
        if case .retrying(let number, _) = state { return "it waited for attempt \(number)" }
        switch wait {
        case .queue: return "it waited for a slot of its limiter"
        case .connectivity: return "it waited for a network"
        case .hold: return "it waited for credentials"
        case .replacement: return "it waited for a newer call to replace it"
        case let wait?: return "it waited: \(wait)"
        case nil: break
        }
        if attempts == 0 { return "nothing was sent" }
        return failure == nil ? "the response had arrived, and was not decoded" : "\(before) had failed"
    }
}

extension TimeoutReport {
    /// The point that a run has reached.
    init(_ core: CallCore) {
        let progress = core.transportProgress
        self = core.state.withLock { state in
            TimeoutReport(
                state: state.phase, wait: state.values[CallWait.self], attempts: state.attempts.newestNumber,
                isSending: state.attempts.last.map { $0.ended == nil } ?? false,
                hasHead: state.attempts.last?.response != nil, failure: state.attempts.last?.error,
                transfer: TransferMoment(progress))
        }
    }
}

/// The carrier of a run.
enum CallWork {
    case none
    case task(Task<Void, Never>)
    /// A request that waits for a slot of the limiter, without a task.
    case queued(WaitingRequest, Limiter)
    /// A transport that is being handed a request. The number is that of the attempt.
    case starting(Int)
    case transport(TransportTask)
    /// A transfer that it shares with other calls, and its number there. The run may have taken over its log.
    case flight(Flight, number: Int, isLogged: Bool)
    /// The body of a streamed call.
    case body(BodyStream)
    /// The request that reconnects the body of a streamed call.
    case reconnection(Task<HTTPResponse, any Error>)

    /// A Boolean value that indicates whether the run has delivered a streamed body.
    var isBody: Bool {
        switch self {
        case .body, .reconnection: true
        case .none, .task, .queued, .starting, .transport, .flight: false
        }
    }

    var flight: Flight? {
        if case .flight(let flight, _, _) = self { flight } else { nil }
    }

    func waits(for request: WaitingRequest) -> Bool {
        if case .queued(let waiting, _) = self { waiting === request } else { false }
    }

    func cancel() {
        switch self {
        case .none, .starting: break
        case .task(let task): task.cancel()
        case .queued(let request, let limiter): limiter.withdraw(request)
        case .transport(let task): task.cancel()
        case .flight(let flight, let number, _): flight.leave(number)
        case .body(let stream): stream.cancel()
        case .reconnection(let task): task.cancel()
        }
    }
}

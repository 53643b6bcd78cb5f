/// Gives failures of a device without a network their code, and lets requests wait for a network if their call may wait.
///
/// It decides nothing unless the call may wait or its request has failed to connect, so requests take the direct path.
struct ConnectivityStage: Stage {
    private let check: ConnectivityCheck
    private let clock: any Clock<Duration>

    init(_ check: ConnectivityCheck, clock: any Clock<Duration>) {
        self.check = check
        self.clock = clock
    }

    func shortcut(for request: HTTPRequest, of plan: CommonPlan) -> StageShortcut {
        guard let limit = plan.waitsForConnectivity else { return .pass }
        return limit <= .zero || check.isOffline(request) ? .needed : .pass
    }

    func accepts(_ outcome: Result<HTTPResponse, any Error>, of plan: CommonPlan) -> Bool {
        guard case .failure(let error) = outcome, let error = error as? RequestError else { return true }
        return !ConnectivityDecision.concerns(error.code)
    }

    func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
        // The system waits for a network itself.
        if context.core.plan.carrier != nil { return try await next(request) }
        let limit = context.core.plan.waitsForConnectivity
        // A direct exchange is over, and its outcome comes from `next`.
        let isSent = context.firstOutcome?.isPending ?? false
        if let limit, limit <= .zero, !isSent {
            throw RequestError(
                .badPolicy, phase: .prepare,
                detail: "waitsForConnectivity is \(limit.text): set more than zero, or nil to send without waiting",
                request: request)
        }
        // A refresh in the background has no caller that waits for it.
        let wait = limit.flatMap { limit in
            context.cause == .refresh ? nil : ConnectivityWait(check, clock, limit: limit, request, context)
        }
        if let wait, !isSent, ConnectivityDecision.beforeSending(check.status) == .wait, check.concerns(request) {
            try await wait.untilAvailable()
        }
        var next = next
        var isResent = false
        while true {
            let seen = wait?.changes
            do {
                return try await next(request)
            } catch let error as RequestError where ConnectivityDecision.concerns(error.code) {
                guard check.concerns(request) else { throw error }
                let status = check.status
                let failure = ConnectivityDecision.Failure(
                    code: error.code, phase: error.phase, status: status, waits: wait != nil,
                    isReplayable: request.body.isReplayable, isResent: isResent, hasChanged: seen != wait?.changes)
                switch (ConnectivityDecision.after(failure), wait) {
                case (.send, let wait?):
                    wait.observe()
                    isResent = true
                case (.wait, let wait?):
                    if status == .unavailable {
                        try await wait.untilAvailable(after: error)
                    } else {
                        try await wait.untilChanged(since: seen ?? 0, after: error)
                    }
                    isResent = false
                default: throw ConnectivityDecision.isOffline(error.code, status) ? error.offline : error
                }
                next = next.attempting(.connectivity)
            }
        }
    }
}

/// The connectivity of a client, for its requests to other devices.
struct ConnectivityCheck: Sendable {
    let connectivity: any Connectivity
    /// A Boolean value that indicates whether all requests go to a Unix socket.
    let usesSocket: Bool

    init(_ configuration: Client.Configuration) {
        connectivity = configuration.connectivity
        usesSocket = configuration.transport.usesSocket
    }

    var status: ConnectivityStatus { connectivity.status }

    /// Returns whether a request needs a network.
    func concerns(_ request: HTTPRequest) -> Bool {
        guard !usesSocket, let server = try? ServerAddress(request.url) else { return false }
        return !server.isThisDevice
    }

    /// Returns whether a request cannot be sent, because the device has no network.
    func isOffline(_ request: HTTPRequest) -> Bool {
        connectivity.status == .unavailable && concerns(request)
    }
}

extension RequestError {
    /// The error as one of a device without a network.
    fileprivate var offline: RequestError {
        guard code != .offline else { return self }
        var error = RequestError(
            .offline, phase: phase,
            detail: "the device has no network: connect it to one, or let requests wait with waitsForConnectivity",
            request: request, underlying: self)
        error.redaction = redaction
        return error
    }
}

extension Transport {
    /// A Boolean value that indicates whether all connections go to one Unix socket, whatever the host of the URL.
    var usesSocket: Bool {
        #if os(Linux)
            (self as? CurlTransport)?.configuration.unixSocket != nil
        #else
            false
        #endif
    }
}

/// The state of a call: first `queued`, then mostly `running`, and at last `finished`.
public enum CallState: Hashable, Sendable {
    /// The call has been started, and its request is not in flight yet. It may wait for a slot of its ``Limiter``, or because
    /// of a limit of its transport. A call that is served from the cache goes from here to ``finished(_:)``.
    case queued
    /// The interceptors or the transport have the request, or a streamed body is arriving.
    case running
    /// An attempt failed, and the attempt with this number follows after a wait.
    case retrying(attempt: Int, after: Duration)
    /// The device has no network, and the call waits for one: see ``Client/Configuration/waitsForConnectivity``.
    case waitingForConnectivity
    /// The call waits for credentials: see `Client.Configuration.authenticator`.
    case held
    /// The call has ended. No other state follows.
    case finished(FinishedState)

    /// A Boolean value that indicates whether the call has ended.
    public var isFinished: Bool {
        if case .finished = self { true } else { false }
    }
}

extension CallState: CustomStringConvertible {
    public var description: String {
        switch self {
        case .queued: "queued"
        case .running: "running"
        case .retrying(let attempt, let delay): "retrying, attempt \(attempt) after \(delay.text)"
        case .waitingForConnectivity: "waiting for connectivity"
        case .held: "held for credentials"
        case .finished(let state): "finished, \(state)"
        }
    }
}

/// The way in which a call has ended.
public enum FinishedState: Hashable, Sendable {
    /// The call has an output.
    case success
    /// The call has an error.
    case failure
    /// The call was cancelled, or an unmanaged call was released.
    case cancelled
    /// Another call of the same kind was in flight.
    case duplicate
}

extension FinishedState: CustomStringConvertible {
    public var description: String {
        switch self {
        case .success: "success"
        case .failure: "failure"
        case .cancelled: "cancelled"
        case .duplicate: "duplicate"
        }
    }
}

/// The owner of a call.
public enum CallLifetime: Hashable, Sendable {
    /// The client holds the call until it has ended. The caller need not store it.
    case managed
    /// The caller holds the call or its promise. When both are released, the call is cancelled. Callbacks run only as long
    /// as the caller holds the call.
    case unmanaged
}

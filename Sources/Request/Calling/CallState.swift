/// The state of a call: first `queued`, then mostly `running`, and at last `finished`.
public enum CallState: Hashable, Sendable {
    /// The call has been started, and its request is not on its way yet. A call that is answered from the cache goes from here
    /// to ``finished(_:)``.
    case queued
    /// The interceptors or the transport have the request, or a streamed body is on its way. Waiting in the transport's own queue
    /// counts as running.
    case running
    /// The call has ended. No other state follows.
    case finished(FinishedState)

    /// Whether it has ended, in whatever way.
    public var isFinished: Bool {
        if case .finished = self { true } else { false }
    }
}

extension CallState: CustomStringConvertible {
    public var description: String {
        switch self {
        case .queued: "queued"
        case .running: "running"
        case .finished(let state): "finished, \(state)"
        }
    }
}

/// How a call has ended.
public enum FinishedState: Hashable, Sendable {
    /// It has an output.
    case success
    /// It has an error.
    case failure
    /// Somebody cancelled it, or nobody held it any more.
    case cancelled
    /// Another call of the same kind was under way.
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

/// Who keeps a call alive.
public enum CallLifetime: Hashable, Sendable {
    /// Its client, until it is done: nothing has to be stored.
    case managed
    /// Whoever holds the call or its promise. When both are gone, it is cancelled.
    case unmanaged
}

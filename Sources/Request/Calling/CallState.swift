/// How far a call has come.
public enum CallState: Hashable, Sendable {
    /// It waits for its turn.
    case queued
    /// It is on its way.
    case running
    /// It waits for somebody to sign in.
    case held
    /// It failed, and is being tried again: the number of the attempt, from 2.
    case retrying(attempt: Int)
    /// It has an end, and no other state follows.
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
        case .held: "held"
        case .retrying(let attempt): "retrying, attempt \(attempt)"
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

/// How far a call has come.
public enum CallState: Hashable, Sendable {
    /// It waits for its turn.
    case queued
    case running
    /// It waits for somebody to sign in.
    case held
    /// It failed, and is being tried again: the number of the attempt, from 2.
    case retrying(attempt: Int)
    case finished(FinishedState)

    public var isFinished: Bool {
        if case .finished = self { true } else { false }
    }
}

/// How a call has ended.
public enum FinishedState: Hashable, Sendable {
    case success
    case failure
    case cancelled
    /// Another call of the same kind was under way.
    case duplicate
}

/// Who keeps a call alive.
public enum CallLifetime: Hashable, Sendable {
    /// Its client, until it is done: nothing has to be stored.
    case managed
    /// Whoever holds the call or its promise. When both are gone, it is cancelled.
    case unmanaged
}

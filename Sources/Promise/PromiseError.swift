/// An error that a promise itself causes.
public enum PromiseError: Error, Equatable {
    /// The last resolver was released without settling the promise.
    case abandoned
    /// The promise would wait for itself, directly or through other promises. Tango does not see which promise a task
    /// awaits: a cycle through `Promise { try await other.value }` is not found, and waits until it is cancelled.
    case cycle
    /// `timeout` or `wait` ran out of time.
    case timedOut
    /// `validate` rejected the value.
    case invalid
    /// `race` received no promise.
    case empty
    /// `wait` would block the thread that the promise needs.
    case deadlock
    /// The limit of `all(_:limit:_:)`, or the number of attempts of `retry`, is below one.
    case invalidCount
}

extension PromiseError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .abandoned:
            "The promise can no longer settle: its last resolver was released. Keep the resolver until you call it."
        case .cycle:
            "The promise would wait for itself. Do not return or follow a promise that depends on this one."
        case .timedOut:
            "The promise did not settle in time. Allow more time, or check why its work is slow."
        case .invalid:
            "The value did not pass validate. Throw from the closure of validate to give the reason."
        case .empty:
            "race received no promises. Pass at least one."
        case .deadlock:
            "wait() would block the thread that the promise needs to settle. Return the promise, or await its value."
        case .invalidCount:
            "The limit of all(_:limit:_:), or the number of attempts of retry, is below 1. Pass at least 1."
        }
    }
}

/// The errors of the promises given to `any`, in input order, when none of them was fulfilled.
public struct AggregateError: Error, CustomStringConvertible {
    /// One error for each promise; a `CancellationError` for one that was cancelled.
    public let errors: [any Error]

    /// Creates an error from the errors of several promises.
    public init(errors: [any Error]) {
        self.errors = errors
    }

    public var description: String {
        let list = errors.map { "\n- \($0)" }.joined()
        return errors.isEmpty ? "any received no promises. Pass at least one." : "All promises failed:\(list)"
    }
}

/// What can go wrong with promises themselves.
public enum PromiseError: Error, Equatable {
    /// The last resolver was released without settling the promise.
    case abandoned
    /// The promise was to wait for itself, directly or through others.
    case cycle
    /// `timeout` or `wait` has run out of time.
    case timedOut
    /// `validate` has refused the value.
    case invalid
    /// `race` was given no promise.
    case empty
    /// `wait` would block the thread that the promise needs.
    case deadlock
}

extension PromiseError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .abandoned:
            "The promise can no longer settle: its last resolver was released. Keep the resolver until you call it."
        case .cycle:
            "The promise would wait for itself: a handler returned, or a resolver followed, a promise that depends on it."
        case .timedOut:
            "The promise did not settle in time."
        case .invalid:
            "The value was refused by validate."
        case .empty:
            "There is no promise to race."
        case .deadlock:
            "wait() would block the thread that the promise needs to settle. Return the promise, or await its value."
        }
    }
}

/// Why none of the promises given to `any` was fulfilled: their errors, in the order of the input.
public struct AggregateError: Error, CustomStringConvertible {
    /// One error for each promise; a `CancellationError` for one that was cancelled.
    public let errors: [any Error]

    /// An error that is made of others.
    public init(errors: [any Error]) {
        self.errors = errors
    }

    public var description: String {
        let list = errors.map { "\n- \($0)" }.joined()
        return errors.isEmpty ? "There was no promise to choose from." : "No promise was fulfilled:\(list)"
    }
}

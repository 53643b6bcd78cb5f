/// An error that a promise itself causes.
///
/// ```swift
/// do {
///     user = try await loadUser(1).timeout(.seconds(300)).value
/// } catch PromiseError.timedOut {
///     user = nil
/// }
/// ```
///
/// Errors of one kind are equal, whatever their descriptions say. That of ``timedOut`` has the time that was allowed, and
/// names the requests that the promise waited for, without secrets.
public struct PromiseError: Error {
    private enum Kind {
        case abandoned, cycle, timedOut, invalid, empty, deadlock, invalidCount
    }

    private let kind: Kind
    /// The time that was allowed, and the work that was awaited, in words.
    private let wait: String

    private init(_ kind: Kind, wait: String = "in time") {
        self.kind = kind
        self.wait = wait
    }

    /// The last resolver was released without settling the promise.
    public static let abandoned = PromiseError(.abandoned)
    /// The promise would wait for itself, directly or through other promises. Tango does not see which promise a task
    /// awaits: a cycle through `Promise { try await other.value }` is not found, and waits until it is cancelled.
    public static let cycle = PromiseError(.cycle)
    /// `timeout` or `wait` ran out of time.
    public static let timedOut = PromiseError(.timedOut)
    /// `validate` rejected the value.
    public static let invalid = PromiseError(.invalid)
    /// `race` received no promise.
    public static let empty = PromiseError(.empty)
    /// `wait` would block the thread that the promise needs.
    public static let deadlock = PromiseError(.deadlock)
    /// The limit of `all(_:limit:_:)`, or the number of attempts of `retry`, is below one.
    public static let invalidCount = PromiseError(.invalidCount)
}

extension PromiseError {
    /// Creates the error of a promise that has not settled within a duration.
    init(timedOutAfter limit: Duration, waitingFor promise: AnyPromise) {
        let work = promise.awaitedWork.map(\.workName)
        let (named, rest) = (work.prefix(3), work.dropFirst(3).count)
        let list = named.joined(separator: "; ") + (rest == 0 ? "" : "; and \(rest) more")
        self.init(.timedOut, wait: "in \(limit.text)" + (list.isEmpty ? "" : ", waiting for \(list)"))
    }
}

extension PromiseError: Hashable {
    public static func == (one: PromiseError, other: PromiseError) -> Bool { one.kind == other.kind }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
    }

    /// Matches an error of any type, as in `catch PromiseError.timedOut`.
    public static func ~= (pattern: PromiseError, error: any Error) -> Bool {
        error as? PromiseError == pattern
    }
}

extension PromiseError: CustomStringConvertible {
    public var description: String {
        switch kind {
        case .abandoned:
            "The promise can no longer settle: its last resolver was released. Keep the resolver until you call it."
        case .cycle:
            "The promise would wait for itself. Do not return or follow a promise that depends on this one."
        case .timedOut:
            "The promise did not settle \(wait). Allow more time, or check why its work is slow."
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

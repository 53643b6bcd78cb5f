import Synchronization

/// The rule for a call that starts while another call of its kind is in flight.
///
/// ```swift
/// final class SaveDraft: Request<Void> {
///     override var endpoint: Endpoint { .put("/draft") }
///     override var uniqueness: Uniqueness { .replace }
/// }
/// ```
///
/// For ``reject`` and ``replace``, calls of one client are of a kind if they have the same ``Request/identifier``.
/// Without an identifier, method and URL must be the same. For ``join``, calls are of a kind if they would send the
/// same request, down to the last header and byte.
public struct Uniqueness: Hashable, Sendable {
    private enum Rule: Hashable, Sendable {
        case allow, join, reject
        case replace(after: Duration)
    }

    private let rule: Rule

    /// Calls do not affect each other. The default.
    public static let allow = Uniqueness(rule: .allow)

    /// The calls share one transfer. Calls of one request type also share the output if their serializers are the same.
    ///
    /// Serializers are the same if they are ``Serializer/default``, or if they are equal by their names, such as
    /// ``Serializer/json(at:decoder:)`` without a decoder. Closures and decoders cannot be compared: a serializer made of
    /// one is the same only if the requests return one value, such as a static constant. Otherwise, each call makes its
    /// own output of the shared response.
    ///
    /// Calls with different cookies do not join, such as those before and after a sign-in. Calls of different users do not
    /// join either: see *Signing out*. If the `Authenticator` of a client has no identity, its calls are sent alone.
    ///
    /// Interceptors see one call for all of them, with the ``AnyCall/userInfo`` of none.
    ///
    /// A call that is cancelled or times out does not affect the others. The last call that leaves cancels the
    /// transfer. Retries follow the validation of the first call, and the longest ``Timeouts/total`` of all.
    ///
    /// Only `GET`, `HEAD` and `OPTIONS` requests join, and only if their bodies are in memory. Other requests are sent alone.
    public static let join = Uniqueness(rule: .join)

    /// The new call fails at once with ``RequestError/Code/duplicate``. Use it for a button that may be tapped twice.
    public static let reject = Uniqueness(rule: .reject)

    /// The call in flight fails with ``RequestError/Code/duplicate``. Use it for a value that is saved again.
    public static let replace = Uniqueness(rule: .replace(after: .zero))

    /// As ``replace``, and each call waits before it is sent. Use it for a search while the user types.
    ///
    /// ```swift
    /// final class Search: Request<[Hit]> {
    ///     var text = ""
    ///     override var endpoint: Endpoint { .get("/search", query: ["q": text]) }
    ///     override var identifier: String? { "search" }
    ///     override var uniqueness: Uniqueness { .replace(after: .milliseconds(300)) }
    /// }
    /// ```
    ///
    /// A call that a newer one replaces while it waits is never sent. A cached response is delivered without a wait, and the
    /// wait is part of ``Timeouts/total``. With a negative duration, requests fail with ``RequestError/Code/badPolicy``.
    ///
    /// - Parameter delay: The time for which each call waits, on the clock of its client.
    public static func replace(after delay: Duration) -> Uniqueness { Uniqueness(rule: .replace(after: delay)) }

    /// A Boolean value that indicates whether only one call of a kind may be in flight.
    var isExclusive: Bool {
        switch rule {
        case .allow, .join: false
        case .reject, .replace: true
        }
    }

    /// The time for which a call waits before it is sent.
    var delay: Duration {
        if case .replace(let delay) = rule { delay } else { .zero }
    }

    /// The rule without a wait, for a call that follows another one of its list.
    var withoutDelay: Uniqueness { delay == .zero ? self : .replace }
}

extension Uniqueness: CustomStringConvertible {
    /// The name of the rule.
    public var description: String {
        switch rule {
        case .allow: "allow"
        case .join: "join"
        case .reject: "reject"
        case .replace(.zero): "replace"
        case .replace(let delay): "replace, after \(delay.text)"
        }
    }
}

/// The calls of a client that exclude other calls with the same name.
final class UniqueCalls: Sendable {
    private let calls = Mutex<[ExactString: CallCore]>([:])

    /// Returns whether a call may start. With ``Uniqueness/reject``, it fails if another call of its kind is in
    /// flight. With ``Uniqueness/replace``, the other call fails.
    func admit(_ call: CallCore) -> Bool {
        guard call.plan.uniqueness.isExclusive, let name = call.plan.uniqueName.map(ExactString.init) else {
            return true
        }
        let loser = calls.withLock { calls -> CallCore? in
            if call.plan.uniqueness == .reject, let older = calls[name], older !== call, !older.phase.isFinished {
                return call
            }
            return calls.updateValue(call, forKey: name)
        }
        loser?.end(RequestError.duplicate(call.plan.name, isOlder: loser !== call), as: .duplicate)
        // If the call ended before it was registered, its end has not removed it.
        if call.phase.isFinished { leave(call) }
        return !call.phase.isFinished
    }

    /// Removes a call that has ended, unless another has replaced it.
    func leave(_ call: CallCore) {
        guard call.plan.uniqueness.isExclusive, let name = call.plan.uniqueName.map(ExactString.init) else { return }
        calls.withLock { calls in
            if calls[name] === call { calls[name] = nil }
        }
    }
}

extension RequestError {
    package static func duplicate(_ name: String, isOlder: Bool) -> RequestError {
        var error = RequestError(
            .duplicate, phase: .prepare,
            detail: isOlder
                ? "a newer call replaced this call of \(name): ignore the error"
                : "another call of \(name) is in flight: wait for it, or share it with the uniqueness .join")
        error.isReplaced = isOlder
        return error
    }
}

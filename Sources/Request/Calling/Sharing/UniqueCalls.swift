import Synchronization

/// The calls of a client that exclude other calls with the same name.
final class UniqueCalls: Sendable {
    private let calls = Mutex<[ExactString: CallCore]>([:])

    /// Registers a call under its name. Returns the call that has to fail, if any: the older call, or the new call
    /// itself.
    func admit(_ call: CallCore, as name: String, replaces: Bool) -> CallCore? {
        let name = ExactString(name)
        return calls.withLock { calls in
            if !replaces, let older = calls[name], older !== call, !older.phase.isFinished { return call }
            return calls.updateValue(call, forKey: name)
        }
    }

    /// Removes a call that has ended, unless another has replaced it.
    func leave(_ call: CallCore, as name: String) {
        let name = ExactString(name)
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

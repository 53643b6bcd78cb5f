import Synchronization

/// The calls of a client of which there may be one at a time, by what they call themselves.
final class UniqueCalls: Sendable {
    private let calls = Mutex<[ExactString: CallCore]>([:])

    /// Notes a call as the one of its name. Returns another that has to make way: the older one, or the newcomer itself.
    func admit(_ call: CallCore, as name: String, replaces: Bool) -> CallCore? {
        let name = ExactString(name)
        return calls.withLock { calls in
            if !replaces, let older = calls[name], older !== call, !older.phase.isFinished { return call }
            return calls.updateValue(call, forKey: name)
        }
    }

    /// Forgets a call that has ended, unless another has taken its place.
    func leave(_ call: CallCore, as name: String) {
        let name = ExactString(name)
        calls.withLock { calls in
            if calls[name] === call { calls[name] = nil }
        }
    }
}

extension RequestError {
    static func duplicate(_ name: String, isOlder: Bool) -> RequestError {
        var error = RequestError(
            .duplicate, phase: .prepare,
            detail: isOlder
                ? "a newer call took its place: \(name)" : "another call of its kind is in flight: \(name)")
        error.isReplaced = isOlder
        return error
    }
}

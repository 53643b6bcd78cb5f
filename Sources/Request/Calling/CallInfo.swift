/// Values of the application that belong to a call, by name.
///
/// ```swift
/// call.userInfo["screen"] = "profile"
/// ```
///
/// It is a view of the call, safe from any thread. Setting a name changes that name alone.
public struct CallInfo: Sendable {
    let core: CallCore

    private struct Values: Sendable {
        var all: [String: any Sendable] = [:]
        /// The number of changes so far.
        var version = 0
    }

    /// The value of a name; nil removes it.
    public subscript(name: String) -> (any Sendable)? {
        get { all[name] }
        nonmutating set {
            let old = core.state.withLock { state in
                state.values[Values.self, default: Values()].version += 1
                return replace(&state.values[Values.self, default: Values()].all[name], with: newValue)
            }
            withExtendedLifetime(old) {}
        }
    }

    /// All values at this moment.
    public var all: [String: any Sendable] { core.state.withLock { $0.values[Values.self] }?.all ?? [:] }

    /// Changes several values in one step.
    ///
    /// The function is called again, with the new values, if another thread has changed one meanwhile.
    public func update<Result>(_ change: (inout [String: any Sendable]) -> Result) -> Result {
        while true {
            let old = core.state.withLock { $0.values[Values.self] }
            var new = old ?? Values()
            new.version += 1
            let result = change(&new.all)
            let isDone = core.state.withLock { [new] state in
                guard state.values[Values.self]?.version == old?.version else { return false }
                state.values[Values.self] = new
                return true
            }
            if withExtendedLifetime(old, { isDone }) { return result }
        }
    }
}

extension CallInfo: CustomStringConvertible {
    /// The names of the values. The values may be private.
    public var description: String { "values for \(Array(all.keys).sorted())" }
}

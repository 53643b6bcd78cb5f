/// Values of the application that belong to a call, by name.
///
/// ```swift
/// call.userInfo["screen"] = "profile"
/// ```
///
/// It is a view of the call, safe from any thread. Setting a name changes that name alone.
public struct CallInfo: Sendable {
    let core: CallCore

    /// The value of a name; nil removes it.
    public subscript(name: String) -> (any Sendable)? {
        get { core.userInfo[name] }
        nonmutating set { core.setUserInfo(newValue, for: name) }
    }

    /// All values at this moment.
    public var all: [String: any Sendable] { core.userInfo }

    /// Changes several values in one step.
    ///
    /// The function is called again, with the new values, if another thread has changed one meanwhile.
    public func update<Result>(_ change: (inout [String: any Sendable]) -> Result) -> Result {
        core.updateUserInfo(change)
    }
}

extension CallInfo: CustomStringConvertible {
    /// The names of the values. The values may be private.
    public var description: String { "values for \(all.keys.sorted())" }
}

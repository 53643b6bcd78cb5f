/// What an application keeps with a call: values by name.
///
/// ```swift
/// call.userInfo["screen"] = "profile"
/// ```
///
/// It is a view of the call, safe from any thread: setting a name changes that name alone, whoever sets others meanwhile.
public struct CallInfo: Sendable {
    let core: CallCore

    /// The value of a name; nil removes it.
    public subscript(name: String) -> (any Sendable)? {
        get { core.withUserInfo { $0[name] } }
        nonmutating set {
            // The old value is released out here: its end may use the call.
            _ = core.withUserInfo { info in
                defer { info[name] = newValue }
                return info[name]
            }
        }
    }

    /// All of it, as it is now.
    public var all: [String: any Sendable] { core.withUserInfo { $0 } }

    /// Changes several values in one step. The function must not use the call.
    public func update<Result>(_ change: (inout [String: any Sendable]) -> Result) -> Result {
        core.withUserInfo(change)
    }
}

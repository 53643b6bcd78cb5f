extension Uniqueness: CustomStringConvertible {
    /// The name of the rule.
    public var description: String {
        switch self {
        case .join: "join"
        case .reject: "reject"
        case .replace: "replace"
        default: "allow"
        }
    }
}

extension CallLog: CustomStringConvertible {
    /// The level, and the limit for bodies where it shows them.
    public var description: String { level == .body ? "body, up to \(bodyLimit) bytes" : "\(level)" }
}

extension CallTimeline.Gap: CustomStringConvertible {
    /// Such as `250 ms after attempt 1`.
    public var description: String {
        afterAttempt > 0 ? "\(duration.text) after attempt \(afterAttempt)" : "\(duration.text) before attempt 1"
    }
}

extension HARRecorder.Limits: CustomStringConvertible {
    public var description: String { "\(entries) entries, \(bytes) bytes, bodies up to \(body) bytes" }
}

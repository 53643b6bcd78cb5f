/// The order in which calls that wait for a ``Limiter`` are sent.
public struct CallPriority: RawRepresentable, Hashable, Comparable, Sendable {
    /// A higher value is sent first.
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// For work that can wait, such as prefetching.
    public static let low = CallPriority(rawValue: -1)
    /// The default.
    public static let normal = CallPriority(rawValue: 0)
    /// For what a person waits for.
    public static let high = CallPriority(rawValue: 1)

    public static func < (one: CallPriority, other: CallPriority) -> Bool { one.rawValue < other.rawValue }
}

extension CallPriority: CustomStringConvertible {
    /// Such as `high`, or the number of another priority.
    public var description: String {
        switch self {
        case .low: "low"
        case .normal: "normal"
        case .high: "high"
        default: "\(rawValue)"
        }
    }
}

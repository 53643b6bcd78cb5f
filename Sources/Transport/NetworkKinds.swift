/// Kinds of networks that a request may use.
///
/// ```swift
/// let saving = api.with { $0.networks = [.cellular, .expensive] }  // nothing in Low Data Mode
/// ```
///
/// The system decides which networks are of a kind, and only Apple's does. On Linux, no network is known to be of any kind, so
/// that requests use every network.
public struct NetworkKinds: OptionSet, Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Networks of phone companies.
    public static let cellular = NetworkKinds(rawValue: 1 << 0)
    /// Networks that cost money by use, such as most cellular networks, and the hotspot of a phone.
    public static let expensive = NetworkKinds(rawValue: 1 << 1)
    /// Networks for which the user has chosen Low Data Mode.
    public static let constrained = NetworkKinds(rawValue: 1 << 2)

    /// Every network. The default.
    public static let all: NetworkKinds = [.cellular, .expensive, .constrained]

    /// The detail of the error of a request that found no network; nil if it may use every network.
    package var offlineDetail: String? {
        let refused = Self.all.subtracting(self)
        guard !refused.isEmpty else { return nil }
        return
            "the device has no network that the request may use, because `networks` excludes \(refused.names): connect it "
            + "to another network, or allow these"
    }

    private var names: String {
        [(NetworkKinds.cellular, "cellular"), (.expensive, "expensive"), (.constrained, "constrained")]
            .filter { contains($0.0) }.map { "\($0.1) networks" }.joined(separator: ", ")
    }
}

extension NetworkKinds: CustomStringConvertible {
    /// Such as `every network`, or `every network except cellular networks`.
    public var description: String {
        let refused = Self.all.subtracting(self)
        return refused.isEmpty ? "every network" : "every network except \(refused.names)"
    }
}

/// The rule for a call whose application leaves the foreground.
///
/// The system suspends an application a few seconds after it has left the foreground. Its connections then break. Set a
/// policy for a client, or override ``Request/backgroundPolicy`` of a request:
///
/// ```swift
/// final class SendOrder: Request<Void> {
///     override var endpoint: Endpoint { .post("/orders") }
///     override var backgroundPolicy: BackgroundPolicy { .finish }
/// }
/// ```
///
/// Programs on Linux are not suspended. There, every policy acts as ``suspend``.
public struct BackgroundPolicy: Hashable, Sendable {
    private enum Way: Hashable, Sendable {
        case suspend
        case finish
        case session(String)
    }

    private let way: Way
    private var makeCarrier: MakeCarrier?

    /// Returns what makes the transfer of a call; nil for a call of this process.
    package typealias MakeCarrier =
        @Sendable (
            _ endpoint: Endpoint, _ feature: (any RequestFeature)?, _ client: Client, _ isStreaming: Bool
        ) -> (any CallCarrier)?

    /// The call stops with its application, and fails later if its connection was lost. This is the default.
    public static let suspend = BackgroundPolicy(way: .suspend)

    /// The call asks the ``BackgroundTime`` of its client for time to finish, usually half a minute.
    ///
    /// When this time is over, the call fails with ``RequestError/Code/backgroundTimeExpired``.
    public static let finish = BackgroundPolicy(way: .finish)

    /// A call may be made by another carrier, which makes its transfer in a session. Other calls act as ``finish``.
    package static func session(_ identifier: String, by makeCarrier: @escaping MakeCarrier) -> BackgroundPolicy {
        BackgroundPolicy(way: .session(identifier), makeCarrier: makeCarrier)
    }

    func carrier(
        of endpoint: Endpoint, _ feature: (any RequestFeature)?, _ client: Client, isStreaming: Bool
    ) -> (any CallCarrier)? {
        makeCarrier?(endpoint, feature, client, isStreaming)
    }

    public static func == (one: BackgroundPolicy, other: BackgroundPolicy) -> Bool { one.way == other.way }

    public func hash(into hasher: inout Hasher) { hasher.combine(way) }
}

extension BackgroundPolicy: CustomStringConvertible {
    /// Such as `finish`.
    public var description: String {
        switch way {
        case .suspend: "suspend"
        case .finish: "finish"
        case .session(let identifier): "session \(identifier)"
        }
    }
}

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
    enum Way: Hashable, Sendable {
        case suspend
        case finish
        case session(String)
    }

    let way: Way

    /// The call stops with its application, and fails later if its connection was lost. This is the default.
    public static let suspend = BackgroundPolicy(way: .suspend)

    /// The call asks the ``BackgroundTime`` of its client for time to finish, usually half a minute.
    ///
    /// When this time is over, the call fails with ``RequestError/Code/backgroundTimeExpired``.
    public static let finish = BackgroundPolicy(way: .finish)

    /// A ``Download`` without a body, and an upload whose body is a file, go on in a background `URLSession`, even if
    /// the system ends the application. Other requests act as ``finish``.
    ///
    /// - Parameter identifier: The name of the session, such as `com.example.films`. It stays the same in all versions
    ///   of the application. Pass it to ``BackgroundTransfers/resume(_:)`` when the application is launched.
    public static func session(_ identifier: String) -> BackgroundPolicy {
        BackgroundPolicy(way: .session(identifier))
    }

    /// The name of the session; nil without one.
    var session: String? {
        if case .session(let identifier) = way { identifier } else { nil }
    }
}

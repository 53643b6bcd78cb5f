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

/// A source of time in which calls finish after their application has left the foreground.
///
/// By default, it is the time that the system gives. Implement it to use another source, such as a background task of
/// `BackgroundTasks`, or to expire in a test. It may be called on any thread.
public protocol BackgroundTime: Sendable {
    /// Asks for time, and returns at once.
    ///
    /// - Parameters:
    ///   - name: The name of the request, without secrets.
    ///   - onExpiry: Called at most once, on any thread, shortly before the time ends. When it returns, the call has
    ///     failed. It has no effect after the returned closure was called.
    /// - Returns: A closure that gives the time back. The call runs it once, at its end.
    func begin(_ name: String, onExpiry: @escaping @Sendable () -> Void) -> @Sendable () -> Void
}

/// The time that the system gives an application which has left the foreground.
///
/// On iOS, tvOS, watchOS and visionOS, it is an expiring activity of `ProcessInfo`, which applications and their
/// extensions may use. On macOS, the system does not slow the application down meanwhile. On Linux, there is no limit.
package final class SystemBackgroundTime: BackgroundTime {
    /// The time of this process.
    package static let shared = SystemBackgroundTime()

    #if canImport(Darwin)
        private let source: any BackgroundTime = SystemActivity.source
    #endif

    init() {}

    package func begin(_ name: String, onExpiry: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        #if canImport(Darwin)
            source.begin(name, onExpiry: onExpiry)
        #else
            {}
        #endif
    }
}

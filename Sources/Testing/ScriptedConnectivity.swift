/// A connectivity whose status a test sets.
///
/// ```swift
/// let network = ScriptedConnectivity(.unavailable)
/// let client = Client(baseURL: url) {
///     $0.connectivity = network
///     $0.waitsForConnectivity = .seconds(30)
/// }
/// ```
///
/// Requests to the device itself, such as to `localhost`, never wait. To let them wait, give the client another base URL,
/// and an attempt interceptor that replaces the host.
public final class ScriptedConnectivity: Connectivity {
    private let current: StatusBroadcast

    /// Creates a connectivity with a status.
    public init(_ status: ConnectivityStatus = .available) {
        current = Broadcast(status, keepsAll: true)
    }

    /// The current status. If it is set on one thread at a time, all observers have been notified when the setter
    /// returns.
    public var status: ConnectivityStatus {
        get { current.value }
        set { current.become(newValue) }
    }

    /// The number of observers, such as calls that wait.
    public var observerCount: Int { current.followerCount }

    public func observe(_ change: @escaping @Sendable (ConnectivityStatus) -> Void) -> ConnectivityObservation {
        current.observation(change)
    }
}

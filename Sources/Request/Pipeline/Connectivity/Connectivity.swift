import Synchronization

/// A source of the device's connection to a network, which clients consult when a request fails or has to wait.
///
/// By default, clients use ``SystemConnectivity``. Tests use `ScriptedConnectivity` of `TangoTesting`.
///
/// **Threads.** All members may be used on any thread.
public protocol Connectivity: Sendable {
    /// The current status. Reading it is fast: clients do so before requests that may have to wait.
    var status: ConnectivityStatus { get }

    /// Calls a closure after each change of the status, one call at a time, until the observation is released.
    ///
    /// The closure may run on any thread, and does not block.
    func observe(_ change: @escaping @Sendable (ConnectivityStatus) -> Void) -> ConnectivityObservation
}

/// The status of the device's connection to a network.
public enum ConnectivityStatus: Hashable, Sendable {
    /// The device has an interface with an address and a route to the internet. A server may still be unreachable.
    case available
    /// The device has no connection. It can reach only itself.
    case unavailable
    /// The system does not say, or the device has a network without a route to the internet. Requests are sent.
    case unknown
}

/// An observer of a ``Connectivity``. Releasing it ends the observation.
public final class ConnectivityObservation: Sendable {
    private let end: @Sendable () -> Void

    /// Creates an observation.
    ///
    /// - Parameter end: Called once, when the observation is released.
    public init(end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    deinit {
        end()
    }
}

/// A status and its observers.
package typealias StatusBroadcast = Broadcast<ConnectivityStatus>

extension StatusBroadcast {
    /// Changes the status. If another thread delivers changes at the moment, it delivers this one too.
    package func become(_ status: ConnectivityStatus) {
        update { replace(&$0, with: status) != status }
    }

    package func observation(_ change: @escaping @Sendable (ConnectivityStatus) -> Void) -> ConnectivityObservation {
        let number = observe(change)
        return ConnectivityObservation { [weak self] in self?.remove(number) }
    }
}

/// The connectivity that the system reports: by `NWPathMonitor` on Apple platforms, by the kernel on Linux.
///
/// It starts to watch the system when it is first used: when a request has failed to connect, may wait for a network, or
/// has a stale cached response. Before the system has reported anything, and where it reports nothing, the
/// status is ``ConnectivityStatus/unknown``.
public final class SystemConnectivity: Connectivity {
    /// The connectivity of this device.
    public static let shared = SystemConnectivity()

    private let lazyCurrent = LazyReference<StatusBroadcast>()
    private let monitor = Mutex<NetworkMonitor?>(nil)
    private let isStarted = Atomic(false)

    private var current: StatusBroadcast { lazyCurrent.object { StatusBroadcast(.unknown, keepsAll: true) } }

    public var status: ConnectivityStatus {
        start()
        return current.value
    }

    public func observe(_ change: @escaping @Sendable (ConnectivityStatus) -> Void) -> ConnectivityObservation {
        start()
        return current.observation(change)
    }

    private func start() {
        if isStarted.load(ordering: .acquiring) { return }
        monitor.withLock { monitor in
            guard monitor == nil else { return }
            monitor = NetworkMonitor(current)
            isStarted.store(true, ordering: .releasing)
        }
    }
}

import Synchronization

/// The connectivity that the system reports: by `NWPathMonitor` on Apple platforms, by the kernel on Linux.
///
/// It starts to watch the system when it is first used: when a request has failed to connect, may wait for a network, or
/// has a stale cached response. Before the system has reported anything, and where it reports nothing, the
/// status is ``ConnectivityStatus/unknown``.
public final class SystemConnectivity: Connectivity {
    /// The connectivity of this device.
    public static let shared = SystemConnectivity()

    private let current = StatusBroadcast(.unknown, keepsAll: true)
    private let monitor = Mutex<NetworkMonitor?>(nil)
    private let isStarted = Atomic(false)

    init() {}

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

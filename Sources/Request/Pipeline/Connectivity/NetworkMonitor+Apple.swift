#if canImport(Darwin)
    import Dispatch
    import Network

    /// Publishes the status that `NWPathMonitor` reports.
    final class NetworkMonitor: Sendable {
        private let monitor = NWPathMonitor()

        init(_ status: StatusBroadcast) {
            monitor.pathUpdateHandler = { path in status.become(ConnectivityStatus(path.status)) }
            monitor.start(queue: DispatchQueue(label: "tango.connectivity"))
        }

        deinit {
            monitor.cancel()
        }
    }

    extension ConnectivityStatus {
        fileprivate init(_ status: NWPath.Status) {
            switch status {
            case .satisfied: self = .available
            case .unsatisfied: self = .unavailable
            // A request may establish the connection.
            case .requiresConnection: self = .unknown
            @unknown default: self = .unknown
            }
        }
    }
#endif

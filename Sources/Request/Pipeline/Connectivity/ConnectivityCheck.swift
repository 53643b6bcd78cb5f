/// The connectivity of a client, for its requests to other devices.
struct ConnectivityCheck: Sendable {
    let connectivity: any Connectivity
    /// A Boolean value that indicates whether all requests go to a Unix socket.
    let usesSocket: Bool

    init(_ configuration: Client.Configuration) {
        connectivity = configuration.connectivity
        usesSocket = configuration.transport.usesSocket
    }

    var status: ConnectivityStatus { connectivity.status }

    /// Returns whether a request needs a network.
    func concerns(_ request: HTTPRequest) -> Bool {
        guard !usesSocket, let server = try? ServerAddress(request.url) else { return false }
        return !server.isThisDevice
    }

    /// Returns whether a request cannot be sent, because the device has no network.
    func isOffline(_ request: HTTPRequest) -> Bool {
        connectivity.status == .unavailable && concerns(request)
    }
}

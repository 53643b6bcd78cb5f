import Synchronization

/// The check of requests that would reach a server, which tests set. Without one, it costs a single load.
///
/// Every transport that connects to servers calls ``pass(_:to:options:route:)`` before it sends a request.
package enum ServerCheck {
    /// Returns the error of a request that must not reach a host, or nil.
    package typealias Check = @Sendable (HTTPRequest, _ host: String, TransportOptions) -> RequestError?

    /// The way of a request to its server.
    package enum Route: Equatable {
        /// The transport connects to the host of the URL.
        case direct
        /// The transport connects to this device, whatever the host.
        case here
        /// The transport connects to other hosts, such as a proxy, from which the request may go on to the host of the URL.
        case through([String])
    }

    private static let isSet = Atomic(false)
    /// Wraps the closure, which would get another layer at each access if it were the whole value of the mutex.
    private struct Current {
        var check: Check?
    }

    private static let current = Mutex(Current())

    /// Sets the check of all requests of this process; nil for none.
    package static func set(_ new: Check?) {
        current.withLock { current in
            current.check = new
            isSet.store(new != nil, ordering: .relaxed)
        }
    }

    /// Throws the error of a request that must not be sent.
    ///
    /// - Parameter route: Returns the way of the request.
    package static func pass(
        _ request: HTTPRequest, to server: ServerAddress, options: TransportOptions, route: () -> Route = { .direct }
    ) throws(RequestError) {
        guard isSet.load(ordering: .relaxed) else { return }
        guard let check = current.withLock(\.check) else { return }
        let hosts =
            switch route() {
            case .direct: [server.host]
            case .here: [String]()
            case .through(let others): [server.host] + others
            }
        for host in hosts where !ServerAddress.isThisDevice(host) {
            if let refusal = check(request, host, options) { throw refusal }
        }
    }
}

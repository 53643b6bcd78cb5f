import Synchronization

/// The check of requests that would reach a server, which tests set. Without one, it costs a single load.
///
/// Every transport that connects to servers calls ``pass(_:to:options:isLocal:)`` before it sends a request.
package enum ServerCheck {
    /// Returns the error of a request that must not be sent, or nil.
    package typealias Check = @Sendable (HTTPRequest, ServerAddress, TransportOptions) -> RequestError?

    private static let isSet = Atomic(false)
    private static let check = Mutex<Check?>(nil)

    /// Sets the check of all requests of this process; nil for none.
    package static func set(_ new: Check?) {
        check.withLock { check in
            check = new
            isSet.store(new != nil, ordering: .relaxed)
        }
    }

    /// Throws the error of a request that must not be sent.
    ///
    /// - Parameter isLocal: Returns whether the transport sends the request to this device, whatever its host.
    package static func pass(
        _ request: HTTPRequest, to server: ServerAddress, options: TransportOptions, isLocal: () -> Bool = { false }
    ) throws(RequestError) {
        guard isSet.load(ordering: .relaxed) else { return }
        guard !server.isThisDevice, !isLocal(), let check = check.withLock({ $0 }) else { return }
        if let refusal = check(request, server, options) { throw refusal }
    }
}

/// The times and sizes of one exchange with a server. Times count from its start. A value is nil if the event did not
/// happen or is unknown.
public struct AttemptMetrics: Hashable, Sendable {
    /// The time that the request waited for a slot of its `Limiter`, before everything else; nil if it needed not wait.
    public var queued: Duration?
    /// The time at which the host name was resolved.
    public var resolved: Duration?
    /// The time at which the connection was established.
    public var connected: Duration?
    /// The time at which the TLS handshake ended.
    public var secured: Duration?
    /// The time at which sending began.
    public var requestStarted: Duration?
    /// The time at which the first byte of the response arrived.
    public var firstByte: Duration?
    /// The time at which the last byte arrived.
    public var finished: Duration?
    /// A Boolean value that indicates whether an open connection was reused.
    public var reusedConnection: Bool?
    /// The number of bytes of the request's body that were sent.
    public var bodyBytesSent: Int
    /// The number of bytes of the response's body that were received, before decompression.
    public var bodyBytesReceived: Int
    /// The address of the server, with its port.
    public var remoteAddress: String?

    /// Creates the metrics of an exchange that has just started.
    public init() {
        bodyBytesSent = 0
        bodyBytesReceived = 0
    }
}

extension AttemptMetrics {
    /// Returns the text of an address and a port. An IPv6 address is in brackets.
    package static func text(address: String, port: Int?) -> String {
        let host = address.utf8.contains(UInt8(ascii: ":")) ? "[\(address)]" : address
        return port.map { "\(host):\($0)" } ?? host
    }
}

/// What one exchange with a server took. Times count from its start; nil is what did not happen, or is not known.
public struct AttemptMetrics: Hashable, Sendable {
    /// When the host had been looked up.
    public var resolved: Duration?
    /// When the connection was there.
    public var connected: Duration?
    /// When the handshake of TLS was done.
    public var secured: Duration?
    /// When sending began.
    public var requestStarted: Duration?
    /// When the first byte of the response arrived.
    public var firstByte: Duration?
    /// When the last byte had arrived.
    public var finished: Duration?
    /// Whether a connection was used that was already open.
    public var reusedConnection: Bool?
    /// Bytes of the request's body that were sent.
    public var bodyBytesSent: Int
    /// Bytes of the response's body that were received, before they were decoded.
    public var bodyBytesReceived: Int
    /// The address of the server, with its port.
    public var remoteAddress: String?

    /// Those of an exchange of which nothing has happened yet.
    public init() {
        bodyBytesSent = 0
        bodyBytesReceived = 0
    }
}

extension AttemptMetrics {
    /// The text of an address and a port. An IPv6 address stands in brackets.
    static func text(address: String, port: Int?) -> String {
        let host = address.utf8.contains(UInt8(ascii: ":")) ? "[\(address)]" : address
        return port.map { "\(host):\($0)" } ?? host
    }
}

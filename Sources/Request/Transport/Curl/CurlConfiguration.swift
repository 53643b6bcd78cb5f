#if os(Linux)
    /// What all requests of a ``CurlTransport`` share.
    public struct CurlConfiguration: Sendable {
        /// The way by which requests leave.
        public var proxy: Proxy
        /// The path of a Unix socket that every connection goes to, whatever the host of the URL.
        public var unixSocket: String?
        /// Addresses that are used instead of a look-up, by host name: `["api.example.com": ["127.0.0.1"]]`.
        public var addresses: [String: [String]]
        /// Whether HTTP/2 is spoken with servers that offer it in the handshake of TLS.
        public var http2: Bool
        /// How many requests are under way at once, in all and to one host; those above wait their turn, in order.
        public var limit: Int?
        /// How many requests are under way at once to one host.
        public var limitPerHost: Int?
        /// How many idle connections are kept open, for each set of rules of trust.
        public var idleConnections: Int
        /// How much of a response is taken in before its reader has to catch up.
        public var buffer: Int

        public init(
            proxy: Proxy = .environment, unixSocket: String? = nil, addresses: [String: [String]] = [:],
            http2: Bool = true, limit: Int? = nil, limitPerHost: Int? = nil, idleConnections: Int = 256,
            buffer: Int = 1 << 20
        ) {
            self.proxy = proxy
            self.unixSocket = unixSocket
            self.addresses = addresses
            self.http2 = http2
            self.limit = limit
            self.limitPerHost = limitPerHost
            self.idleConnections = idleConnections
            self.buffer = buffer
        }

        /// A reader that has nothing left to read makes room, however little is to be kept.
        var atLeastSomeBuffer: Int { max(buffer, 1) }
    }
#endif

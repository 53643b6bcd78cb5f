#if os(Linux)
    import Glibc

    /// The settings that all requests of a ``CurlTransport`` share.
    public struct CurlConfiguration: Sendable {
        /// The proxy through which requests are sent, if any.
        public var proxy: Proxy
        /// The path of a Unix socket for all connections, whatever the host of the URL. If it is empty, or has more than the
        /// 107 bytes that the system allows, every request fails with ``RequestError/Code/unsupported``.
        public var unixSocket: String?
        /// IP addresses that replace the look-up of host names: `["api.example.com": ["127.0.0.1"]]`.
        public var addresses: [String: [String]]
        /// A Boolean value that indicates whether HTTP/2 is used with servers that offer it in the TLS handshake.
        public var http2: Bool
        /// The use of HTTP/3.
        public var http3: HTTP3
        /// The highest number of requests in flight. Further requests wait in order. Nil is no limit.
        public var limit: Int?
        /// The highest number of requests in flight to one host. Nil is no limit.
        public var limitPerHost: Int?
        /// The highest number of idle connections that stay open, for each set of rules of trust.
        public var idleConnections: Int
        /// The number of unread bytes of a response at which the transport stops receiving.
        public var buffer: Int

        public init(
            proxy: Proxy = .environment, unixSocket: String? = nil, addresses: [String: [String]] = [:],
            http2: Bool = true, http3: HTTP3 = .off, limit: Int? = nil, limitPerHost: Int? = nil,
            idleConnections: Int = 256, buffer: Int = 1 << 20
        ) {
            self.proxy = proxy
            self.unixSocket = unixSocket
            self.addresses = addresses
            self.http2 = http2
            self.http3 = http3
            self.limit = limit
            self.limitPerHost = limitPerHost
            self.idleConnections = idleConnections
            self.buffer = buffer
        }

        /// The use of HTTP/3, which few builds of libcurl support.
        public enum HTTP3: Hashable, Sendable, CaseIterable {
            /// No request uses it.
            case off
            /// Requests use it if libcurl, the server and the network support it, and HTTP/2 or HTTP/1.1 otherwise.
            case preferred
            /// All requests use it. Requests for which that is impossible fail, with
            /// ``RequestError/Code/unsupported`` if this is known before anything is sent.
            case required
        }

        /// A description of what is invalid, or nil if requests can be sent.
        var problem: String? { proxy.problem ?? unixSocket.flatMap(Self.problem(unixSocket:)) }

        private static func problem(unixSocket path: String) -> String? {
            let longest = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1
            if path.isEmpty { return "the path of the Unix socket is empty: set a path, or nil" }
            if path.utf8.contains(0) { return "the path of the Unix socket contains a null byte: correct the path" }
            guard path.utf8.count > longest else { return nil }
            return
                "the path of the Unix socket has \(path.utf8.count) bytes, and the system allows \(longest): use a shorter path"
        }

        /// At least one byte, so that a reader that has read everything always makes room.
        var atLeastSomeBuffer: Int { max(buffer, 1) }
    }
#endif

#if canImport(Darwin) || URLSessionOnLinux
    /// Sends requests by `URLSession`: the transport on Apple platforms.
    ///
    /// On Linux, only builds with the trait `URLSessionOnLinux` have it, for the tests of this package.
    ///
    /// It has sessions of its own, which keep no cookies, no credentials and no responses, and follow no redirects: all that is
    /// done above it, the same way for each transport. A request's body is always handed over as a stream, so that nothing is
    /// sent twice that may not be. The article on transports says what it cannot do, on which platform.
    ///
    /// When it is released, the requests under way go on, and then all is closed.
    public final class URLSessionTransport: Transport, CustomStringConvertible {
        /// The one that clients use, where it is the default, unless they are given another.
        public static let shared = URLSessionTransport()

        public let configuration: Configuration
        private let core: SessionCore

        public init(_ configuration: Configuration = Configuration()) {
            self.configuration = configuration
            core = SessionCore(configuration)
        }

        public var capabilities: TransportCapabilities { SessionPlatform.capabilities }

        public func start(
            _ request: HTTPRequest, options: TransportOptions, completion: @escaping TransportCompletion
        ) -> TransportTask {
            do {
                try check(request, options)
                let transfer = try SessionTransfer(request, options: options, in: core, completion: completion)
                core.submit(transfer)
                return TransportTask { transfer.leave() }
            } catch {
                completion { throw error }
                return .completed
            }
        }

        private func check(_ request: HTTPRequest, _ options: TransportOptions) throws {
            if let refusal = capabilities.refusal(of: request, options: options) { throw refusal }
            let rules = options.trust.rules(for: (try? ServerAddress(request.url))?.host ?? "")
            let refusal = SessionRefusal.current.refusal(of: request, proxy: configuration.proxy, rules: rules)
            if let refusal { throw refusal }
            if let limit = SessionPlatform.longestHead, let error = request.headTooLarge(limit: limit) { throw error }
        }

        public func shutdown() async {
            await core.shutDown()
        }

        public var description: String { "URLSessionTransport" }
    }

    extension URLSessionTransport {
        /// What all requests of a ``URLSessionTransport`` share.
        public struct Configuration: Sendable {
            /// On Linux only ``Proxy/environment``, and ``Proxy/direct`` where the environment names no proxy: others are refused.
            public var proxy: Proxy
            /// How many requests are under way at once, in all and to one host; those above wait their turn, in order.
            public var limit: Int?
            public var limitPerHost: Int?
            /// How much of a response is taken in before its reader has to catch up. On Linux the server cannot be made to wait.
            public var buffer: Int
            /// How much of a response may wait for its reader on Linux: beyond, it ends with
            /// ``RequestError/Code/responseTooLarge``.
            public var unread: Int
            /// How long a body may be that is made while it is sent. On Linux all of it is made before: what is more than a
            /// megabyte is kept in a temporary file.
            public var spool: Int

            public init(
                proxy: Proxy = .environment, limit: Int? = nil, limitPerHost: Int? = nil, buffer: Int = 1 << 20,
                unread: Int = 256 << 20, spool: Int = 1 << 30
            ) {
                self.proxy = proxy
                self.limit = limit
                self.limitPerHost = limitPerHost
                self.buffer = buffer
                self.unread = unread
                self.spool = spool
            }
        }
    }
#endif

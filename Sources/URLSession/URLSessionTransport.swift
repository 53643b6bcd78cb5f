#if canImport(Darwin) || URLSessionOnLinux
    /// The transport on Apple platforms, which sends requests with `URLSession`.
    ///
    /// On Linux, it is only available in builds with the trait `URLSessionOnLinux`, for the tests of this package.
    ///
    /// Its sessions store no cookies, credentials or responses, and follow no redirects. The client does this above the
    /// transport, in the same way for each transport. A request's body is always passed as a stream, so that the system
    /// repeats no request that must not be repeated. The article on transports lists the limitations on each platform.
    ///
    /// When the transport is released, requests in flight finish, and then all connections are closed.
    public final class URLSessionTransport: LimitedTransport, CustomStringConvertible {
        /// The transport that clients use unless they are given another, on platforms where it is the default.
        public static let shared = URLSessionTransport()

        public let configuration: Configuration
        package let limiter: Limiter?
        private let core: SessionCore
        private let numberProblem: String?

        public init(_ configuration: Configuration = Configuration()) {
            self.configuration = configuration
            limiter = Limiter(transport: configuration.limit, perHost: configuration.limitPerHost)
            numberProblem = configuration.numberProblem
            core = SessionCore(configuration)
        }

        public var capabilities: TransportCapabilities { SessionPlatform.capabilities }

        public func start(
            _ request: HTTPRequest, options: TransportOptions, completion: @escaping TransportCompletion
        ) -> TransportTask {
            do {
                let server = try server(of: request, options)
                let transfer = try SessionTransfer(
                    request, to: server, options: options, in: core, completion: completion)
                core.submit(transfer)
                return TransportTask { transfer.leave() }
            } catch {
                completion { throw error }
                return .completed
            }
        }

        /// Returns the server of a request, or throws the error of one that cannot be sent.
        private func server(of request: HTTPRequest, _ options: TransportOptions) throws -> ServerAddress {
            let server = try capabilities.server(of: request, options: options)
            if let problem = numberProblem {
                throw RequestError(.badPolicy, phase: .prepare, detail: problem, request: request)
            }
            let rules = options.trust.rules(for: server.host)
            let refusal = SessionRefusal.current.refusal(of: request, proxy: configuration.proxy, rules: rules)
            if let refusal { throw refusal }
            if let limit = SessionPlatform.longestHead, let error = request.headTooLarge(limit: limit) { throw error }
            try ServerCheck.pass(request, to: server, options: options)
            return server
        }

        public func shutdown() async {
            await core.shutDown()
        }

        public var description: String { "URLSessionTransport" }
    }

    extension URLSessionTransport {
        /// The settings that all requests of a ``URLSessionTransport`` share. If a limit or ``buffer`` is below one, or
        /// another number is below zero, requests fail with `RequestError.Code.badPolicy`.
        public struct Configuration: Sendable {
            /// The proxy. Linux supports only `Proxy.environment`, and `Proxy.direct` if the environment names no
            /// proxy. Others are refused.
            public var proxy: Proxy
            /// The highest number of requests in flight. Further requests wait in order. Nil is no limit.
            public var limit: Int?
            /// The highest number of requests in flight to one host. Nil is no limit.
            public var limitPerHost: Int?
            /// The number of unread bytes of a response at which the transport stops receiving. On Linux there is no
            /// back-pressure.
            public var buffer: Int
            /// The highest number of unread bytes of a response on Linux. Beyond it, the response fails with
            /// `RequestError.Code.responseTooLarge`.
            public var unread: Int
            /// The highest length of a streamed request body on Linux, where the body is read into memory before it is
            /// sent.
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

            /// The error of the numbers; nil if they are valid.
            var numberProblem: String? {
                SettingProblem.low("URLSessionTransport.Configuration.limit", limit, isLimit: true)
                    ?? SettingProblem.low(
                        "URLSessionTransport.Configuration.limitPerHost", limitPerHost, isLimit: true)
                    ?? SettingProblem.low("URLSessionTransport.Configuration.buffer", buffer)
                    ?? SettingProblem.low("URLSessionTransport.Configuration.unread", unread, least: 0)
                    ?? SettingProblem.low("URLSessionTransport.Configuration.spool", spool, least: 0)
            }
        }
    }
#endif

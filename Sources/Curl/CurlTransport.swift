#if os(Linux)
    import Glibc
    import Synchronization
    import TangoCCurl

    /// The transport on Linux, which sends requests with libcurl.
    ///
    /// All transfers of a transport share one event loop, one thread and one pool of connections. If the loop is idle,
    /// a request begins on the thread that sends it, so no other thread is woken. Connections are reused. When the
    /// transport is released, requests in flight finish, and then all connections are closed.
    ///
    /// libcurl is loaded at first use. If it is missing, every request fails with ``RequestError/Code/noTransport``.
    ///
    /// If bytes or the end of an idle connection have arrived before its next request is sent, the request uses a new
    /// connection. A server may also close the connection just afterwards. The request fails then, and is sent again only by
    /// the ``RetryPolicy`` of its call, on a new connection. With a libcurl before 7.80, idle connections are not checked in
    /// this way, and an idempotent request may be sent again unnoticed.
    public final class CurlTransport: LimitedTransport {
        /// The transport that clients use unless they are given another.
        public static let shared = CurlTransport()

        /// The settings that all requests share.
        public let configuration: CurlConfiguration
        package let limiter: Limiter?
        private let numberProblem: String?
        private let loop = Mutex<State>(.none)

        private enum State {
            case none
            case running(CurlLoop)
            case shutDown(CurlLoop?)
        }

        /// Creates a transport with a thread and connections of its own, which begin with its first request.
        public init(_ configuration: CurlConfiguration = CurlConfiguration()) {
            self.configuration = configuration
            limiter = Limiter(transport: configuration.limit, perHost: configuration.limitPerHost)
            numberProblem = configuration.numberProblem
        }

        deinit {
            loop.withLock { state in
                if case .running(let loop) = state { loop.submit(.retire) }
            }
        }

        /// The version of libcurl, such as `7.88.1`, or nil if libcurl cannot be used: see ``problem``.
        public static var version: String? { CurlLibrary.version }

        /// The reason why libcurl cannot be used on this system; nil if it can.
        public static var problem: String? { CurlLibrary.problem }

        /// The features of this system's libcurl. TLS and HTTP/2 depend on how it was built.
        public var capabilities: TransportCapabilities {
            var all: TransportCapabilities = [
                .responseBackPressure, .requestBackPressure, .trailers, .informationalResponses, .exactHeaders,
                .getBodies, .phaseMetrics, .decompressionControl,
            ]
            if CurlLibrary.has(CURL_VERSION_SSL) { all.formUnion(CurlLibrary.backend.capabilities.union(.tls)) }
            if CurlLibrary.has(CURL_VERSION_HTTP2), configuration.http2 { all.insert(.http2) }
            if CurlLibrary.hasHTTP3, configuration.http3 != .off { all.insert(.http3) }
            return all
        }

        public func start(
            _ request: HTTPRequest, options: TransportOptions, completion: @escaping TransportCompletion
        ) -> TransportTask {
            do {
                let transfer = try transfer(request, options, completion)
                transfer.start()
                return TransportTask { transfer.leave() }
            } catch {
                completion { throw error }
                return .completed
            }
        }

        private func transfer(
            _ request: HTTPRequest, _ options: TransportOptions, _ completion: @escaping TransportCompletion
        ) throws -> CurlTransfer {
            try CurlLibrary.require()
            let server = try capabilities.server(of: request, options: options)
            if let error = request.headTooLarge(limit: CurlLibrary.longestHead) { throw error }
            if let problem = numberProblem {
                throw RequestError(.badPolicy, phase: .prepare, detail: problem, request: request)
            }
            if let problem = configuration.problem {
                throw RequestError(.unsupported, phase: .prepare, detail: problem, request: request)
            }
            try ServerCheck.pass(request, to: server, options: options) { configuration.route(to: server) }
            return try CurlTransfer(
                request, to: server, options: options, on: try running(for: request), completion: completion)
        }

        public func shutdown() async {
            let running = loop.withLock { state -> CurlLoop? in
                switch state {
                case .none: state = .shutDown(nil)
                case .running(let loop): state = .shutDown(loop)
                case .shutDown: break
                }
                if case .shutDown(let loop) = state { return loop }
                return nil
            }
            guard let running else { return }
            running.submit(.shutDown)
            await running.ended()
            // Release the loop, and its descriptors with it.
            loop.withLock { $0 = .shutDown(nil) }
        }

        /// Returns the loop, and starts it if necessary.
        private func running(for request: HTTPRequest) throws -> CurlLoop {
            try loop.withLock { state in
                switch state {
                case .running(let loop): return loop
                case .shutDown:
                    throw RequestError(
                        .shutDown, phase: .prepare, detail: "the transport was shut down: create a new transport",
                        request: request)
                case .none:
                    let loop = try CurlLoop(configuration)
                    state = .running(loop)
                    return loop
                }
            }
        }
    }

    /// The settings that all requests of a ``CurlTransport`` share. If a number is below one, requests fail with
    /// ``RequestError/Code/badPolicy``.
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

        /// The error of the numbers; nil if they are valid.
        var numberProblem: String? {
            SettingProblem.low("CurlConfiguration.limit", limit, isLimit: true)
                ?? SettingProblem.low("CurlConfiguration.limitPerHost", limitPerHost, isLimit: true)
                ?? SettingProblem.low("CurlConfiguration.idleConnections", idleConnections)
                ?? SettingProblem.low("CurlConfiguration.buffer", buffer)
        }

        private static func problem(unixSocket path: String) -> String? {
            let longest = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1
            if path.isEmpty { return "the path of the Unix socket is empty: set a path, or nil" }
            if path.utf8.contains(0) { return "the path of the Unix socket contains a null byte: correct the path" }
            guard path.utf8.count > longest else { return nil }
            return
                "the path of the Unix socket has \(path.utf8.count) bytes, and the system allows \(longest): use a shorter path"
        }

        /// A Boolean value that indicates whether requests may have to wait for others.
        var isLimited: Bool { limit != nil || limitPerHost != nil }

        /// Returns the way of a request to a server.
        func route(to server: ServerAddress) -> ServerCheck.Route {
            if unixSocket != nil { return .here }
            if let host = proxy.host ?? (proxy == .environment ? ProxyEnvironment.current.host(for: server) : nil) {
                return .through([host.lowercased()])
            }
            let fixed = addresses.first { $0.key.lowercased() == server.host }?.value ?? []
            if fixed.isEmpty { return .direct }
            if fixed.allSatisfy(ServerAddress.isThisDevice) { return .here }
            return server.isThisDevice ? .through(fixed) : .direct
        }
    }
#endif

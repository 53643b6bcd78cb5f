#if os(Linux)
    import Synchronization
    import TangoCCurl

    /// Carries requests by libcurl: the transport on Linux.
    ///
    /// All of its transfers share one loop, one thread and one pool of connections. A request begins on the thread that sends
    /// it where the loop has nothing else to do, so that nobody has to be woken for it. Connections are kept and used again;
    /// when the transport is released, those under way go on, and then all is closed.
    ///
    /// libcurl is loaded at first use. Where it is missing, every request fails with ``RequestError/Code/noTransport``.
    ///
    /// A connection that was kept open may be closed by the server just when it is used again. Then a request is sent once
    /// more on a new one if nothing has come back, provided that it is idempotent; others fail, as they may have been heard.
    public final class CurlTransport: Transport {
        /// The one that clients use unless they are given another.
        public static let shared = CurlTransport()

        /// What its requests share.
        public let configuration: CurlConfiguration
        private let loop = Mutex<State>(.none)

        private enum State {
            case none
            case running(CurlLoop)
            case shutDown(CurlLoop?)
        }

        /// A transport with a thread and connections of its own, which begin with its first request.
        public init(_ configuration: CurlConfiguration = CurlConfiguration()) {
            self.configuration = configuration
        }

        deinit {
            loop.withLock { state in
                if case .running(let loop) = state { loop.submit(.retire) }
            }
        }

        /// The version of libcurl, such as `7.88.1`; nil where it cannot be used, for the reason ``problem``.
        public static var version: String? { CurlLibrary.version }

        /// The reason why libcurl cannot be used on this system; nil if it can.
        public static var problem: String? { CurlLibrary.problem }

        /// What the libcurl of this system can do: TLS and HTTP/2 depend on how it was built.
        public var capabilities: TransportCapabilities {
            var all: TransportCapabilities = [
                .responseBackPressure, .requestBackPressure, .trailers, .informationalResponses, .exactHeaders,
                .getBodies, .phaseMetrics, .decompressionControl,
            ]
            if CurlLibrary.has(CURL_VERSION_SSL) { all.formUnion(CurlLibrary.backend.capabilities.union(.tls)) }
            if CurlLibrary.has(CURL_VERSION_HTTP2), configuration.http2 { all.insert(.http2) }
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
            if let refusal = capabilities.refusal(of: request, options: options) { throw refusal }
            if let error = request.headTooLarge(limit: CurlLibrary.longestHead) { throw error }
            if let problem = configuration.proxy.problem {
                throw RequestError(.unsupported, phase: .prepare, detail: problem, request: request)
            }
            return try CurlTransfer(request, options: options, on: try running(for: request), completion: completion)
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
            // Its descriptors go with it.
            loop.withLock { $0 = .shutDown(nil) }
        }

        /// The loop, started where it is not running yet.
        private func running(for request: HTTPRequest) throws -> CurlLoop {
            try loop.withLock { state in
                switch state {
                case .running(let loop): return loop
                case .shutDown:
                    throw RequestError(
                        .shutDown, phase: .prepare, detail: "the transport was shut down", request: request)
                case .none:
                    let loop = try CurlLoop(configuration)
                    state = .running(loop)
                    return loop
                }
            }
        }
    }
#endif

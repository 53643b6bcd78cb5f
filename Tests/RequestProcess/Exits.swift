#if os(Linux)
    import Foundation
    import LoopbackServer
    import TangoRequest

    extension RequestProcess {
        /// Exits, with a status of its own, some milliseconds after it has begun to open TLS connections.
        ///
        /// Without a given server, it connects to one that speaks no TLS. The time is spent in this process, which reads the
        /// certificate authorities of the system for each connection.
        static func exits(_ arguments: [String]) async throws {
            guard arguments.count >= 3, let delay = UInt32(arguments[1]), let status = Int32(arguments[2]) else {
                return
            }
            // Runs last, because it is registered first.
            atexit { tell("stopped", ProcessExit.hasStoppedLoops.map { "\($0)" } ?? "none") }
            let server = try LoopbackServer(recording: .none, bodies: .none)
            server.answer(with: .text("ok"))
            let port = server.url.port ?? 0
            let isProxied = arguments.dropFirst(3).first == "proxied"
            let address = arguments.dropFirst(4).first ?? "https://localhost:\(port)/"
            let proxy = isProxied ? Proxy.http(host: "127.0.0.1", port: port) : .direct
            let transports = (0..<4).map { _ in CurlTransport(CurlConfiguration(proxy: proxy)) }
            guard let url = URL(string: address) else { return }
            let trust: ServerTrust = arguments.count > 4 ? .developmentHost("localhost") : .system
            let options = TransportOptions(trust: trust)
            for number in 0..<32 {
                Task {
                    while true { _ = try? await transports[number % 4].send(HTTPRequest(url: url), options: options) }
                }
            }
            usleep(delay * 1000)
            exit(status)
        }
    }
#endif

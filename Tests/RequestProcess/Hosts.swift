#if os(Linux)
    import Foundation
    import LoopbackServer
    import Synchronization
    import TangoRequest

    extension RequestProcess {
        /// Sends requests, in a UTF-8 locale, to hosts that libcurl treats as `localhost`, which has a pin.
        static func hosts(_ names: [String]) async throws {
            tell("locale", setlocale(LC_ALL, "").map { String(cString: $0) } ?? "none")
            let server = try LoopbackServer()
            let pin = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
            let trust = ServerTrust.hosts([
                "localhost": .pins([pin]) + .developmentHost("localhost"),
                "127.0.0.1": .pins([pin]) + .developmentHost("127.0.0.1"),
            ])
            let transport = CurlTransport(CurlConfiguration(proxy: .direct))
            for (number, name) in names.dropFirst().enumerated() {
                guard let url = URL(string: "https://\(name):\(server.url.port ?? 0)/") else {
                    tell("url\(number)", "none")
                    continue
                }
                do {
                    let response = try await transport.send(
                        HTTPRequest(url: url), options: TransportOptions(trust: trust))
                    tell("host\(number)", response.status)
                } catch let error as RequestError {
                    tell("host\(number)", error.code)
                }
            }
            tell("connections", server.connections.accepted)
            await transport.shutdown()
        }
    }
#endif

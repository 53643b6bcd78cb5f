#if os(Linux)
    import Foundation
    import LoopbackServer
    import TangoRequest
    import TangoTesting

    extension RequestProcess {
        /// Sends a request to a real server, for which a proxy stands, before, during and after two guards.
        static func realServers() async throws {
            let network = try LoopbackServer()
            network.answer { request in .text("from \(request.target)") }
            let client = Client(baseURL: URL(string: "http://real.test")) {
                $0.transport = CurlTransport(CurlConfiguration(proxy: .http(host: "127.0.0.1", port: network.port)))
            }
            @Sendable func outcome() async -> String {
                do {
                    return try await client.get("/a", as: String.self).value
                } catch {
                    return error.asRequestError.map { "\($0.code)" } ?? "\(error)"
                }
            }
            tell("before", await outcome())
            func waitedOutcome() -> String {
                RealServers.refuse {
                    do {
                        return try client.get("/a", as: String.self).wait()
                    } catch {
                        return error.asRequestError.map { "\($0.code)" } ?? "\(error)"
                    }
                }
            }
            tell("during", waitedOutcome())
            tell("duringAsync", await RealServers.refuse { await outcome() })
            tell("between", await outcome())
            RealServers.refuse()
            tell("after", await outcome())
        }
    }
#endif

#if os(Linux) && URLSessionOnLinux
    import Foundation
    import LoopbackServer
    import TangoRequest
    import TangoURLSession

    extension RequestProcess {
        /// Sends a request for one of the responses that crash `URLSession`.
        static func fatal(_ arguments: [String]) async throws {
            let server = try LoopbackServer()
            let answer = Response.text("x")
            switch arguments.last {
            case "half a head": server.answer(with: answer.failing(.close, at: .responseHead))
            case "announced trailers": server.answer(with: answer.header("Trailer", "X-Sum").trailers(["X-Sum": "1"]))
            case "trailers": server.answer(with: answer.trailers(["X-Sum": "1"]))
            default: server.answer(with: answer)
            }
            // Suppress the report of the expected crash.
            dup2(open("/dev/null", O_WRONLY), STDERR_FILENO)
            tell("sent", "yes")
            // The crash of an announced trailer may come late.
            for _ in 0..<200 {
                _ = try? await URLSessionTransport().send(HTTPRequest(url: server.url), options: TransportOptions())
            }
        }
    }
#endif

#if os(Linux)
    import Foundation
    import Testing

    @testable import TestSupport

    /// The exit of a process while it opens connections.
    @Suite(.timeLimit(.minutes(20))) struct ProcessExitTests {
        /// Milliseconds from the first connection to the exit.
        private static let moments = [0, 1, 2, 3, 5, 7, 10, 13, 16, 20, 25, 30, 35, 40, 45, 50]

        private func expectCleanExits(_ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation)
            async throws
        {
            for (number, moment) in Self.moments.enumerated() {
                let status = 3 + number
                let child = try await RequestChild(["exit", "\(moment)", "\(status)"] + arguments)
                #expect(!child.isKilled, "after \(moment) ms", sourceLocation: sourceLocation)
                #expect(child.status == status, "after \(moment) ms", sourceLocation: sourceLocation)
                // The process may exit before the loop starts.
                #expect(child["stopped"] != "false", "after \(moment) ms", sourceLocation: sourceLocation)
            }
        }

        @Test(arguments: ["direct", "proxied"])
        func processMayExitWhileItOpensConnections(_ way: String) async throws {
            try await expectCleanExits(way)
        }

        @Test(
            .enabled(if: Nginx.isThere, Comment(rawValue: Nginx.comment)), arguments: [NginxServer.Site.right, .http2])
        func processMayExitDuringATLSExchange(_ site: NginxServer.Site) async throws {
            let server = try await Nginx.server
            try await expectCleanExits("direct", server.url(site, host: "localhost").absoluteString)
        }
    }
#endif

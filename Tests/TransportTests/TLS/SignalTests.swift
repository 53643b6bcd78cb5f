#if os(Linux)
    import Foundation
    import Testing

    @testable import TestSupport

    /// Writing to a closed connection raises SIGPIPE, which must not end the process.
    @Suite(.timeLimit(.minutes(20))) struct SignalTests {
        @Test func raisedSignalIsAbsorbed() async throws {
            let child = try await RequestChild("signals", "100")
            #expect(child["done"] == "yes", "\(child.facts)")
            #expect(child["pending"] == "0")
            #expect(!child.isKilled)
        }

        @Test(
            .enabled(if: Nginx.isThere, Comment(rawValue: Nginx.comment)), arguments: [NginxServer.Site.right, .http2])
        func closedTLSConnectionsDoNotEndTheProcess(_ site: NginxServer.Site) async throws {
            let server = try await Nginx.server
            let url = server.url(site, "/refused", host: "localhost").absoluteString
            let authority = server.certificates.url("authority.pem").path
            let child = try await RequestChild("securePipes", url, authority)
            #expect(child["done"] == "yes", "\(child.facts)")
            #expect(!child.isKilled)
        }
    }
#endif

#if os(Linux)
    import Foundation
    import LoopbackServer
    import Testing

    @testable import TangoCurl
    @testable import TangoRequest
    @testable import TestSupport

    /// If a server may have HTTP/2, a request waits for the connection of another request that it could share.
    @Suite(.timeLimit(.minutes(20))) struct WaitingForConnectionsTests {
        @Test(
            "the connect timeout limits the wait for the connection of another request",
            .enabled(if: CurlLibrary.announcesRequests && CurlTransport().capabilities.isSuperset(of: [.tls, .http2])))
        func connectTimeoutLimitsTheWait() async throws {
            let server = try LoopbackServer()
            for _ in 0..<4 { server.enqueueFault(atAccept: .stall) }
            let url = try #require(URL(string: "https://127.0.0.1:\(server.url.port ?? 0)/"))
            let transport = CurlTransport(CurlConfiguration(proxy: .direct))
            let first = Task {
                try await transport.send(HTTPRequest(url: url), options: TransportOptions(timeouts: .none))
            }
            try await within { try await server.happened(.accepted(connection: 0)) }
            let start = ContinuousClock.now
            let options = TransportOptions(timeouts: Timeouts(connect: .milliseconds(200), idle: nil, total: nil))
            let error = try await within(.seconds(30)) {
                try await failure { try await transport.send(HTTPRequest(url: url), options: options) }
            }
            #expect(error.code == .connectTimedOut)
            #expect(error.phase == .connect)
            #expect(ContinuousClock.now - start >= .milliseconds(198))
            // The request opened no connection, and the connection that it waited for stays open.
            #expect(server.connections.accepted == 1)
            #expect(server.connections.open == 1)
            first.cancel()
            await #expect(throws: CancellationError.self) { try await first.value }
            await transport.shutdown()
            server.stop()
        }
    }
#endif

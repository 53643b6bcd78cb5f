#if os(Linux)
    import Foundation
    import LoopbackServer
    import Testing

    @testable import TangoRequest

    /// Where a server may have HTTP/2, a request waits to see whether the connection of another carries it too.
    @Suite(.timeLimit(.minutes(10))) struct WaitingForConnectionsTests {
        @Test(
            "a request waits for another's connection no longer than it would for one of its own",
            .enabled(if: CurlLibrary.announcesRequests && CurlTransport().capabilities.isSuperset(of: [.tls, .http2])))
        func connectTime() async throws {
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
            // It had none of its own, and the one that it waited for goes on.
            #expect(server.connections.accepted == 1)
            #expect(server.connections.open == 1)
            first.cancel()
            await #expect(throws: CancellationError.self) { try await first.value }
            await transport.shutdown()
            server.stop()
        }
    }
#endif

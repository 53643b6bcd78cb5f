#if os(Linux)
    import Foundation
    import LoopbackServer
    import Testing

    @testable import TangoRequest

    /// Connections that wait for their next request.
    @Suite(.timeLimit(.minutes(20))) struct IdleConnectionTests {
        /// The late body of a 204, and a response to a request that was never sent.
        static let unrequested = ["late", "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nstolen"]

        @Test(arguments: unrequested, [Response.text("first"), .status(204), .chunks(["a", "b"])])
        func bytesAfterAResponseEndTheConnection(_ bytes: String, _ first: Response) async throws {
            let server = try LoopbackServer()
            let transport = CurlTransport(CurlConfiguration(proxy: .direct))
            for method in [HTTPMethod.get, .post, .put] {
                let body: Body = method == .get ? .none : .string("body")
                let gate = Gate()
                server.enqueue(first.held(by: gate, at: .end).failing(.garbage(bytes.utf8), at: .end))
                _ = try await transport.send(HTTPRequest(method, server, body: body))
                gate.open()
                // The transport ends the connection, because the server keeps it open.
                try await server.connectionEnded(server.connections.accepted - 1)
                server.enqueue(Response.text("second").closing())
                let response = try await transport.send(HTTPRequest(method, server, body: body))
                #expect(response.body == Data("second".utf8))
            }
            #expect(server.connections.accepted == 6)
            await transport.shutdown()
            server.stop()
        }

        /// The thread of the transport was woken for a response that the thread of its sender has read.
        @Test func bytesAreNoticedAfterAnEventThatIsOutOfDate() async throws {
            let child = try await RequestChild("stopped")
            #expect(child["second"] == "second", "\(child.facts)")
            #expect(child["ended"] == "true")
            #expect(child["third"] == "third")
            #expect(child["done"] == "yes")
        }

        @Test func pausedResponseIsNotTakenForUnrequestedBytes() async throws {
            let server = try LoopbackServer()
            server.answer("/other", with: .text("other"))
            var configuration = CurlConfiguration(proxy: .direct)
            configuration.buffer = 1000
            let transport = CurlTransport(configuration)
            for _ in 0..<10 {
                server.enqueue(.text("first"), .generated(bytes: 8_000_000))
                _ = try await transport.send(HTTPRequest(.get, server))
                var response = try await transport.send(
                    HTTPRequest(.get, server), options: TransportOptions(delivery: .stream))
                // The transport handles the events of its sockets between these requests.
                for _ in 0..<10 { _ = try await transport.send(HTTPRequest(.get, server, "/other")) }
                try await response.collect()
                #expect(response.body.count == 8_000_000)
            }
            #expect(server.connections.accepted == 2)
            await transport.shutdown()
            server.stop()
        }
    }
#endif

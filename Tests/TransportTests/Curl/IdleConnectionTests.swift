#if os(Linux)
    import Foundation
    import LoopbackServer
    import Testing

    @testable import TangoRequest
    @testable import TestSupport

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

        /// A response without a request, and the rejection of a server that has waited too long for the next request.
        static let late = [
            "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nstolen",
            "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        ]

        /// The bytes arrive after many other events, so that the transport begins the request before it handles them.
        @Test(
            arguments: late,
            [(HTTPMethod.get, Body.none), (.post, .string("body")), (.put, .data(Data(count: 100_000)))])
        func bytesThatArriveAsARequestStartsAreNotItsResponse(_ bytes: String, _ sent: (HTTPMethod, Body)) async throws
        {
            let crowd = try await Crowd(count: 40)
            let (first, late) = (Gate(), Gate())
            let mayWrite = DispatchSemaphore(value: 0)
            let rest = AsyncStream<[UInt8]?>.makeStream()
            let server = try RawListener { connection in
                guard connection.readRequest() else { return }
                guard !first.isOpen else { return connection.respond("second") }
                first.open()
                connection.respond("first")
                mayWrite.wait()
                connection.write(Array(bytes.utf8))
                while !connection.hasArrived { usleep(100) }
                late.open()
                rest.continuation.yield(connection.read())
            }
            let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/"))
            let arrival = Arrival()
            #expect(try await crowd.transport.send(HTTPRequest(url: url)).body == Data("first".utf8))
            try await crowd.fillWhileHeld {
                mayWrite.signal()
                try await late.opened()
                let request = HTTPRequest(method: sent.0, url: url, body: sent.1)
                _ = crowd.transport.start(request, options: TransportOptions(), completion: arrival.completion)
            }
            let response = try await within { try await arrival.response }
            #expect(response.body == Data("second".utf8))
            #expect(response.metrics.reusedConnection == false)
            // The transport has ended the first connection, and sent nothing on it.
            try await within {
                for await bytes in rest.stream.prefix(1) { #expect(bytes == nil) }
            }
            #expect(server.accepted == 2)
            crowd.cancel()
            await crowd.transport.shutdown()
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

    extension RawConnection {
        /// Reads a request. Returns false if the connection ends first.
        fileprivate func readRequest() -> Bool {
            var bytes: [UInt8] = []
            while true {
                guard let more = read() else { return false }
                bytes += more
                let text = String(decoding: bytes, as: UTF8.self)
                guard let end = text.firstRange(of: "\r\n\r\n") else { continue }
                let length = text.firstMatch(of: /Content-Length: (\d+)/).flatMap { Int($0.1) } ?? 0
                if text[end.upperBound...].utf8.count >= length { return true }
            }
        }

        fileprivate func respond(_ body: String) {
            write(Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8))
        }
    }
#endif

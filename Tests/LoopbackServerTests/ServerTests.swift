import Foundation
import Testing

@testable import LoopbackServer

@Suite(.serialized, .timeLimit(.minutes(20))) struct ServerTests {
    @Test func urlHasTheAddressOfTheServer() throws {
        let server = try LoopbackServer()
        #expect(server.port > 0)
        #expect(server.url.absoluteString == "http://127.0.0.1:\(server.port)")
        #expect(server.url("/a?b=c").absoluteString == "http://127.0.0.1:\(server.port)/a?b=c")
    }

    @Test func portOfAStoppedServerCanBeReused() async throws {
        let first = try LoopbackServer()
        first.answer(with: .text("first"))
        _ = try await answer(first, get("/"))
        first.stop()
        let second = try LoopbackServer(port: first.port)
        second.answer(with: .text("second"))
        #expect(try await answer(second, get("/")).hasSuffix("second"))
        #expect(throws: LoopbackServer.Failure.self) { try LoopbackServer(port: second.port) }
    }

    #if os(Linux)
        /// A stop on the thread of the server returns before the listener is closed.
        @Test func portOfAServerThatItsHandlerStopsStaysReserved() async throws {
            let server = try LoopbackServer()
            let (isReached, isGone) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            server.answer { [weak server] _ in
                server?.stop()
                isReached.signal()
                isGone.wait()
                return .text("last")
            }
            try await onThread {
                let client = try RawClient(server)
                client.send(get("/"))
                isReached.wait()
                // A connection that the server closes first would keep the port by itself for a while.
                client.leave(reset: true)
                isGone.signal()
                while (try? RawClient(server)) != nil {}
            }
            #expect(!RawClient.canListen(on: server.port))
        }

        /// A child process has the descriptors of all tests until it runs its program.
        @Test func stoppedServerIsGoneEvenIfAChildProcessHasItsDescriptors() throws {
            let server = try LoopbackServer()
            let copies = RawClient.listeners(on: server.port).map { dup($0) }
            defer { for copy in copies { close(copy) } }
            #expect(copies.count == 1)
            server.stop()
            #expect(throws: RawClient.Refused.self) { try RawClient(server) }
        }

        @Test(arguments: [RawClient.Ending.end, .reset])
        func connectionEndsEvenIfAChildProcessHasItsDescriptor(_ ending: RawClient.Ending) async throws {
            let gate = Gate()
            let server = try LoopbackServer()
            server.answer(with: .text("last").held(by: gate).failing(ending == .end ? .close : .reset, at: .end))
            let client = try RawClient(server)
            client.send(get("/"))
            try await gate.reached()
            let copies = RawClient.connections(acceptedOn: server.port).map { dup($0) }
            defer { for copy in copies { close(copy) } }
            #expect(copies.count == 1)
            gate.open()
            let seen = try await onThread { client.everything() }
            #expect(seen.text.hasSuffix("last"))
            #expect(seen.ending == ending)
        }
    #endif

    @Test func stopClosesAllConnections() async throws {
        let server = try LoopbackServer()
        server.answer(with: .text("x"))
        let (idle, busy) = (try RawClient(server), try RawClient(server))
        let gate = Gate()
        server.answer("/held", with: .text("held").held(by: gate))
        busy.send(get("/held"))
        try await gate.reached()
        server.stop()
        server.stop()
        let seen = try await onThread { [idle.everything().text, busy.everything().text] }
        #expect(seen == ["", ""])
        #expect(server.connections.states == [.closedByServer, .closedByServer])
        #expect(throws: RawClient.Refused.self) { try RawClient(server) }
        gate.open()
    }

    @Test func releasedServerStops() async throws {
        var server: LoopbackServer? = try LoopbackServer()
        let client = try RawClient(try #require(server))
        weak let gone = server
        server = nil
        #expect(try await onThread { client.everything().text } == "")
        #expect(gone == nil)
    }

    @Test func handlerCanStopTheServer() async throws {
        let server = try LoopbackServer()
        server.answer { [weak server] _ in
            server?.stop()
            return .text("last")
        }
        _ = try await sees(server, get("/"))
        _ = try? await server.connectionEnded(0)
        server.stop()
        #expect(server.connections.open == 0)
    }

    @Test func serverListensOnAUnixSocket() async throws {
        let path = "/tmp/loopback-\(UInt32.random(in: 0...(.max))).socket"
        let server = try LoopbackServer(unixSocket: path)
        server.answer("/a", with: .generated(bytes: 100_000))
        #expect(server.socketPath == path)
        let count = try await onThread {
            let client = try RawClient(server)
            client.send(get("/a"))
            _ = client.receive(until: "\r\n\r\n")
            return client.receive(count: 100_000).count
        }
        #expect(count == 100_000)
        server.stop()
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(throws: LoopbackServer.Failure.self) {
            try LoopbackServer(unixSocket: String(repeating: "a", count: 200))
        }
    }

    /// Systems without epoll use poll.
    @Test func serverWorksWithPoll() async throws {
        let server = try LoopbackServer.polling()
        let gate = Gate()
        server.answer(with: .text("x"))
        server.answer("/held", with: .generated(bytes: 3_000_000).held(by: gate))
        let held = try RawClient(server)
        held.send(get("/held"))
        try await gate.reached()
        let clients = try (0..<20).map { _ in try RawClient(server) }
        try await onThread {
            for client in clients {
                client.send(get("/"))
                #expect(client.receive(until: "\r\n\r\nx").hasPrefix("HTTP/1.1 200"))
            }
        }
        gate.open()
        let count = try await onThread {
            _ = held.receive(until: "\r\n\r\n")
            return held.receive(count: 3_000_000).count
        }
        #expect(count == 3_000_000)
        for client in clients { client.leave() }
        held.leave()
        try await server.connections(open: 0)
        #expect(server.requestCount == 21)
    }
}

import ChildProcesses
import Foundation
import LoopbackServer
import TangoRequest
import Testing

@testable import TestSupport

/// Shutdown and release of a transport.
@Suite(.timeLimit(.minutes(20))) struct ShutdownTests {
    typealias Kind = TransportUnderTest

    @Test(arguments: Kind.overTLS)
    func shutdownEndsAllRequests(_ kind: Kind) async throws {
        let listener = try FullListener()
        try await kind.run(.init(limit: 9)) { transport, server in
            let gate = Gate()
            server.answer("/held", with: Response.text("ok").held(by: gate))
            server.answer("/body", with: Response.generated(bytes: 1000).held(by: gate, at: .responseBody))
            // No timeout must pass before all requests are in flight.
            let patient = TransportOptions().timing()
            let stream = try await transport.send(
                HTTPRequest(.get, server, "/body"), options: TransportOptions.stream.timing())
            let upload = Portions { number in
                if number > 0 { try await gate.opened() }
                return Data(count: 10)
            }
            let held = HTTPRequest(.get, server, "/held")
            let others = [
                HTTPRequest(.get, server, "/body"), HTTPRequest(.post, server, body: .stream(upload)),
                HTTPRequest(url: listener.url),
            ]
            var tasks = (Array(repeating: held, count: 5) + others).map { request in
                Task { try await transport.send(request, options: patient) }
            }
            try await gate.reached(count: 7)
            // These wait in the queue, or are not queued yet.
            tasks += (0..<5).map { _ in Task { try await transport.send(held, options: patient) } }
            await transport.shutdown()
            for task in tasks {
                let error = try await failure { try await task.value }
                #expect(error.code == .shutDown)
                #expect(error.request != nil)
                #expect(!error.isRetryable)
            }
            let error = try await failure { for try await _ in stream.stream {} }
            #expect(error.code == .shutDown)
            try await server.connections(open: 0)
            gate.open()
        }
    }

    @Test(arguments: Kind.overTLS)
    func requestsAfterAShutdownFail(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: .text("ok"))
            _ = try await transport.send(HTTPRequest(.get, server))
            await transport.shutdown()
            await transport.shutdown()
            for _ in 0..<3 {
                let error = try await failure { try await transport.send(HTTPRequest(.get, server)) }
                #expect(error.code == .shutDown)
            }
            #expect(server.requestCount == 1)
            try await server.connections(open: 0)
        }
    }

    @Test(arguments: Kind.overTLS)
    func shutdownBeforeTheFirstRequestReturns(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            await transport.shutdown()
            let error = try await failure { try await transport.send(HTTPRequest(.get, server)) }
            #expect(error.code == .shutDown)
        }
    }

    @Test(arguments: Kind.overTLS)
    func manyTasksCanShutDownAtOnce(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: .text("ok"))
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        if number % 10 == 9 { return await transport.shutdown() }
                        do {
                            let response = try await transport.send(HTTPRequest(.get, server))
                            #expect(response.status == 200)
                        } catch {
                            #expect((error as? RequestError)?.code == .shutDown)
                        }
                    }
                }
            }
            try await server.connections(open: 0)
        }
    }

    @Test("buffered bytes of a stream can be read after the shutdown", arguments: Kind.overTLS)
    func streamsCanBeReadToTheEnd(_ kind: Kind) async throws {
        try await kind.run(.init(buffer: 100_000)) { transport, server in
            server.answer(with: kind.endlessResponse)
            let response = try await transport.send(HTTPRequest(.get, server), options: .stream)
            var iterator = response.stream.makeAsyncIterator()
            var bytes = try #require(await iterator.next())
            await transport.shutdown()
            let error = try await failure {
                while let portion = try await iterator.next() { bytes.append(portion) }
                return bytes.count
            }
            #expect(error.code == .shutDown)
            #expect(bytes == generated(bytes.count))
        }
    }

    @Test("a released transport closes its connections when its requests have ended", arguments: Kind.everywhere)
    func releasedTransportClosesItsConnections(_ kind: Kind) async throws {
        let server = try LoopbackServer()
        let gate = Gate()
        server.answer(with: Response.generated(bytes: 3_000_000).held(by: gate, at: .responseBody))
        var transport: (any Transport)? = try kind.make()
        let response = try await transport?.send(HTTPRequest(.get, server), options: .stream)
        transport = nil
        gate.open()
        var whole = try #require(response)
        try await whole.collect()
        #expect(whole.body == generated(3_000_000))
        try await within { try await server.connections(open: 0) }
    }

    @Test("a process that was started before the shutdown holds no connections open", arguments: Kind.overTLS)
    func childProcessesHoldNoConnectionsOpen(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: .text("ok"))
            _ = try await transport.send(HTTPRequest(.get, server))
            // The process runs until this end of the pipe is closed, also if the tests crash.
            let life = try ChildProcess.pipe()
            let process = try ChildProcess(command: ["cat"], input: life.reading)
            close(life.reading)
            await transport.shutdown()
            try await server.connections(open: 0)
            close(life.writing)
            _ = process
        }
    }

    @Test("child processes inherit no connections", arguments: Kind.all(but: .inheritance))
    func childProcessesInheritNoConnections(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: .text("ok"))
            _ = try await transport.send(HTTPRequest(.get, server))
            let sockets = Self.sockets(to: server.port)
            #expect(sockets.count == 1)
            for socket in sockets { #expect(fcntl(socket, F_GETFD) & FD_CLOEXEC != 0) }
        }
    }

    /// Returns the sockets of this process that are connected to a local port.
    static func sockets(to port: Int) -> [CInt] {
        (0..<CInt(getdtablesize())).filter { socket in
            var peer = sockaddr_in()
            var size = socklen_t(MemoryLayout.size(ofValue: peer))
            let isConnected = withUnsafeMutablePointer(to: &peer) { peer in
                peer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(socket, $0, &size) == 0 }
            }
            return isConnected && CInt(peer.sin_family) == AF_INET && Int(UInt16(bigEndian: peer.sin_port)) == port
        }
    }
}

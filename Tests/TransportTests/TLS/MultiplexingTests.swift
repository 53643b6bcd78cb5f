import Foundation
import LoopbackServer
import Testing

@testable import TangoCurl
@testable import TangoRequest
@testable import TestSupport

/// Many requests on one HTTP/2 connection, with a real server.
@Suite(.enabled(if: Nginx.isThere, Comment(rawValue: Nginx.comment)), .timeLimit(.minutes(20)))
struct MultiplexingTests {
    typealias Site = NginxServer.Site

    private static let count = 300

    /// Sends many requests, some of them at once, and returns the connections that they used.
    private func connections(
        _ site: Site, _ path: String = "/facts", count: Int = count, atOnce: Int = 32, by transport: CurlTransport,
        making: @escaping @Sendable (Int, URL) -> HTTPRequest = { _, url in HTTPRequest(url: url) }
    ) async throws -> [String: Int] {
        let server = try await Nginx.server
        let url = server.url(site, path)
        // A request that the server has not processed is sent again by the retry policy.
        let client = Client {
            $0.transport = transport
            $0.trust = server.trust
        }
        return try await within {
            try await withThrowingTaskGroup(of: [String].self) { group in
                for worker in 0..<atOnce {
                    group.addTask {
                        var seen: [String] = []
                        for number in stride(from: worker, to: count, by: atOnce) {
                            let response = try await client.send(making(number, url))
                            #expect(response.status == 200)
                            #expect(response.version == (site == .right ? .http1_1 : .http2))
                            seen.append(try #require(response.headers["X-Connection"]))
                        }
                        return seen
                    }
                }
                return try await group.reduce(into: [:]) { counts, seen in
                    for connection in seen { counts[connection, default: 0] += 1 }
                }
            }
        }
    }

    @Test func manyRequestsShareOneConnection() async throws {
        let transport = HandshakeTests.transport()
        #expect(try await connections(.http2, atOnce: 64, by: transport).count == 1)
        // With HTTP/1.1, each request in flight needs a connection.
        let separate = try await connections(.right, by: transport).count
        #expect(separate > 1 && separate <= 32, "\(separate)")
        await transport.shutdown()
    }

    @Test("all requests succeed with few concurrent streams")
    func allRequestsSucceedWithFewStreams() async throws {
        let transport = HandshakeTests.transport()
        // The first response sets the number of concurrent streams.
        _ = try await connections(.narrow, count: 1, by: transport)
        let used = try await connections(.narrow, by: transport)
        #expect(used.values.reduce(0, +) == Self.count)
        await transport.shutdown()
    }

    @Test(
        "a server sends GOAWAY after a few requests and none is lost",
        arguments: [[HTTPMethod.get], [.post], [.put], [.get, .post]])
    func noRequestIsLostAtGOAWAY(_ methods: [HTTPMethod]) async throws {
        let transport = HandshakeTests.transport()
        // /read responds after reading the body. An earlier response could be cut off when the connection closes.
        let path = methods == [.get] ? "/facts" : "/read"
        // The handle of any request may read that the server has not processed another one.
        let used = try await connections(.leaving, path, by: transport) { number, url in
            let method = methods[number % methods.count]
            return HTTPRequest(method: method, url: url, body: method == .get ? .none : .string("body \(number)"))
        }
        #expect(used.values.reduce(0, +) == Self.count)
        #expect(used.count > 1)
        await transport.shutdown()
    }

    @Test func http2CanBeTurnedOff() async throws {
        let server = try await Nginx.server
        let transport = HandshakeTests.transport(CurlConfiguration(proxy: .direct, http2: false))
        let response = try await transport.send(
            HTTPRequest(url: server.url(.http2)), options: TransportOptions(trust: server.trust))
        #expect(response.version == .http1_1)
        #expect(!transport.capabilities.contains(.http2))
    }

    @Test("a reader that pauses delays no other request and gets its whole body", arguments: [Site.http2, .right])
    func slowReaders(_ site: Site) async throws {
        let server = try await Nginx.server
        let transport = HandshakeTests.transport()
        let stream = TransportOptions(timeouts: .none, trust: server.trust, delivery: .stream)
        let whole = TransportOptions(trust: server.trust)
        try await within {
            var slow: [HTTPResponse] = []
            for _ in 0..<3 {
                slow.append(
                    try await transport.send(HTTPRequest(url: server.url(site, "/files/huge")), options: stream))
            }
            for round in 0..<20 {
                let path = round % 5 == 0 ? "/files/large" : "/files/small"
                let response = try await transport.send(HTTPRequest(url: server.url(site, path)), options: whole)
                #expect(response.body.count == (round % 5 == 0 ? 5_000_000 : 100))
            }
            for response in slow {
                var count = 0
                for try await portion in response.stream { count += portion.count }
                #expect(count == 200_000_000)
            }
        }
        await transport.shutdown()
    }

    @Test("a cancelled request does not affect others on its connection")
    func cancelling() async throws {
        let server = try await Nginx.server
        let transport = HandshakeTests.transport()
        let loopback = try LoopbackServer()
        let gate = Gate()
        loopback.answer(with: Response.text("late").held(by: gate))
        let url = server.url(.http2, "/x", host: "p\(loopback.url.port ?? 0).up.localhost")
        let options = TransportOptions(trust: server.trust)
        try await within {
            let kept = Task { try await transport.send(HTTPRequest(url: url), options: options) }
            let left = Task { try await transport.send(HTTPRequest(url: url), options: options) }
            _ = try await loopback.next()
            _ = try await loopback.next()
            left.cancel()
            await #expect(throws: CancellationError.self) { try await left.value }
            gate.open()
            #expect(try await kept.value.body == Data("late".utf8))
            let next = try await transport.send(HTTPRequest(url: url), options: options)
            #expect(next.metrics.reusedConnection == true)
        }
        await transport.shutdown()
        loopback.stop()
    }

    @Test("a silently dead connection is not reused")
    func deadConnectionsAreNotReused() async throws {
        let server = try await Nginx.server
        let transport = HandshakeTests.transport()
        let connections = Recorded<RawConnection>()
        let way = try RawListener { [port = server.port(.http2)] client in
            guard let server = RawConnection(to: port) else { return }
            connections.add(client)
            Thread.detachNewThread { TunnelProxy.pass(from: client, to: server) }
            TunnelProxy.pass(from: server, to: client)
        }
        let request = HTTPRequest(url: try #require(URL(string: "https://right.test:\(way.port)/facts")))
        let options = TransportOptions(
            timeouts: Timeouts(connect: nil, idle: .seconds(6), total: nil), trust: server.trust)
        try await within {
            #expect(try await transport.send(request, options: options).version == .http2)
            for connection in connections.all { connection.goDeaf() }
            let error = try await failure { try await transport.send(request, options: options) }
            #expect(error.code == .idleTimedOut)
            let response = try await transport.send(request, options: options)
            #expect(response.metrics.reusedConnection == false)
        }
        #expect(way.accepted == 2)
        await transport.shutdown()
    }

    @Test("the sent bytes of a body are counted")
    func sentBytesOfABodyAreCounted() async throws {
        let server = try await Nginx.server
        let loop = try CurlLoop(CurlConfiguration(proxy: .direct))
        let request = HTTPRequest(
            method: .put, url: server.url(.http2, "/read", host: "localhost"), body: .data(generated(900_000)))
        let arrival = Arrival()
        let transfer = try CurlTransfer(
            request, options: TransportOptions(trust: server.trust), on: loop, completion: arrival.completion)
        transfer.start()
        #expect(try await arrival.response.status == 200)
        loop.submit(.shutDown)
        await loop.ended()
        #expect(transfer.passed == 900_000)
    }

    @Test("the idle timeout of a request ignores others on its connection")
    func idleTimeoutIgnoresOtherRequests() async throws {
        let server = try await Nginx.server
        let transport = HandshakeTests.transport()
        let loopback = try LoopbackServer()
        let gate = Gate()
        loopback.answer("/late", with: Response.text("late").held(by: gate))
        loopback.answer("/now", with: .text("now"))
        let host = "p\(loopback.url.port ?? 0).up.localhost"
        let (late, now) = (server.url(.http2, "/late", host: host), server.url(.http2, "/now", host: host))
        let trust = server.trust
        try await within {
            let busy = Task {
                while !Task.isCancelled {
                    _ = try await transport.send(HTTPRequest(url: now), options: TransportOptions(trust: trust))
                }
            }
            let error = try await failure {
                try await transport.send(
                    HTTPRequest(url: late),
                    options: TransportOptions(
                        timeouts: Timeouts(connect: nil, idle: .milliseconds(500), total: .seconds(60)), trust: trust))
            }
            #expect(error.code == .idleTimedOut)
            busy.cancel()
            _ = try? await busy.value
        }
        gate.open()
        await transport.shutdown()
        loopback.stop()
    }
}

import Foundation
import LoopbackServer
import Synchronization
import TangoAuth
import TangoRequest
import Testing

@testable import TestSupport

/// Connection limits, proxies, sockets and addresses.
@Suite(.timeLimit(.minutes(20))) struct RouteTests {
    typealias Kind = TransportUnderTest

    // MARK: Limits

    @Test(arguments: Kind.overTLS, [1, 2, 7])
    func limitsAreNotExceeded(_ kind: Kind, _ limit: Int) async throws {
        for wishes in [Kind.Wishes(limit: limit), .init(limitPerHost: limit)] {
            try await kind.run(wishes) { transport, server in
                let isBelow = Recorded<Bool>()
                let underWay = Mutex(0)
                // The limit counts requests. The server may not have seen yet that a connection was closed.
                let areCounted = !kind.limitations.contains(.ownConnections)
                server.answer { (request: RecordedRequest) async throws in
                    let count = underWay.withLock { count in
                        count += 1
                        return count
                    }
                    await Task.yield()
                    isBelow.add(max(count, areCounted ? server.connections.open : 0) <= limit)
                    underWay.withLock { $0 -= 1 }
                    return .text(request.path)
                }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<100 {
                        group.addTask {
                            let response = try await transport.send(HTTPRequest(.get, server, "/\(number)"))
                            #expect(response.body == Data("/\(number)".utf8))
                        }
                    }
                    try await group.waitForAll()
                }
                #expect(isBelow.all.count == 100 && !isBelow.all.contains(false))
                #expect(server.connections.accepted <= limit || !areCounted)
            }
        }
    }

    /// Starts tasks in order. Each runs to its first suspension before the next one starts.
    private actor Queue {
        private func begin(_ request: HTTPRequest, by transport: any Transport) -> Task<HTTPResponse, any Error> {
            Task {
                _ = self
                return try await transport.send(request)
            }
        }

        private func begin(
            _ requests: [HTTPRequest], by transport: any Transport
        ) -> [Task<HTTPResponse, any Error>] {
            requests.map { begin($0, by: transport) }
        }

        /// Returns after the transport has received all requests.
        nonisolated func send(
            _ requests: [HTTPRequest], by transport: any Transport
        ) async -> [Task<HTTPResponse, any Error>] {
            let tasks = await begin(requests, by: transport)
            await turn()
            return tasks
        }

        private func turn() {}
    }

    @Test("waiting requests are sent in order", arguments: Kind.overTLS)
    func waitingRequestsAreSentInOrder(_ kind: Kind) async throws {
        try await kind.run(.init(limitPerHost: 1)) { transport, server in
            let gate = Gate()
            server.answer("/first", with: Response.text("ok").held(by: gate))
            server.answer(with: .text("ok"))
            let first = Task { try await transport.send(HTTPRequest(.get, server, "/first")) }
            try await gate.reached()
            let tasks = await Queue().send((0..<30).map { HTTPRequest(.get, server, "/\($0)") }, by: transport)
            gate.open()
            _ = try await first.value
            for task in tasks { _ = try await task.value }
            #expect(server.requests.map(\.path) == ["/first"] + (0..<30).map { "/\($0)" })
        }
    }

    @Test("a slow host does not delay other hosts", arguments: Kind.overTLS)
    func hostsDoNotWaitForEachOther(_ kind: Kind) async throws {
        let other = try LoopbackServer()
        other.answer(with: .text("other"))
        try await kind.run(.init(limitPerHost: 1)) { transport, server in
            let gate = Gate()
            server.answer(with: Response.text("ok").held(by: gate))
            let held = (0..<3).map { _ in Task { try await transport.send(HTTPRequest(.get, server)) } }
            try await gate.reached()
            #expect(try await transport.send(HTTPRequest(.get, other)).body == Data("other".utf8))
            gate.open()
            for task in held { _ = try await task.value }
        }
    }

    @Test("an unread stream counts toward the limit until it is cancelled", arguments: Kind.overTLS)
    func streamsCountUntilTheyEnd(_ kind: Kind) async throws {
        try await kind.run(.init(limit: 1)) { transport, server in
            server.answer("/stream", with: kind.endlessResponse)
            server.answer("/next", with: .text("next"))
            let response = try await transport.send(HTTPRequest(.get, server, "/stream"), options: .stream)
            let next = Task { try await transport.send(HTTPRequest(.get, server, "/next")) }
            response.stream.cancel()
            #expect(try await next.value.body == Data("next".utf8))
        }
    }

    @Test("a failed request makes room for the next one", arguments: Kind.overTLS)
    func failuresMakeRoom(_ kind: Kind) async throws {
        try await kind.run(.init(limit: 2, limitPerHost: 1)) { transport, server in
            server.answer { (request: RecordedRequest) in
                let number = Int(request.path.dropFirst()) ?? 0
                let answer = Response.text("ok")
                return number % 3 == 0 ? answer.failing(.reset, at: .response) : answer
            }
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<60 {
                    group.addTask {
                        let request = HTTPRequest(.post, server, "/\(number)")
                        let code: RequestError.Code?
                        do {
                            code = try await transport.send(request).status == 200 ? nil : .badStatus
                        } catch {
                            code = (error as? RequestError)?.code ?? .transportFailed
                        }
                        #expect(code == (number % 3 == 0 ? .connectionLost : nil))
                    }
                }
            }
            #expect(server.requestCount == 60)
        }
    }

    @Test(arguments: Kind.overTLS)
    func hundredsOfRequestsSucceedAtOnce(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: Response.text("ok").delayed(by: .milliseconds(200)))
            let options = TransportOptions(timeouts: .patient)
            try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<400 {
                    group.addTask {
                        try await transport.send(HTTPRequest(.get, server, "/\(number)"), options: options).status.code
                    }
                }
                for try await status in group { #expect(status == 200) }
            }
            #expect(Set(server.requests.map(\.path)).count == 400)
        }
    }

    // MARK: Routes

    @Test(arguments: Kind.overTLS(but: .proxies))
    func httpRequestsUseAProxy(_ kind: Kind) async throws {
        let proxy = try LoopbackServer()
        proxy.answer(with: .text("from the proxy"))
        let way = Proxy.http(host: "127.0.0.1", port: proxy.port, user: "me@x", password: "se:cret/%")
        try await kind.run(.init(proxy: way)) { transport, _ in
            let url = try #require(URL(string: "http://site.invalid:81/a/b?c=d#e"))
            for _ in 0..<2 {
                let response = try await transport.send(HTTPRequest(method: .post, url: url, body: .string("abc")))
                #expect(response.body == Data("from the proxy".utf8))
            }
            let seen = proxy.requests
            #expect(seen.map(\.target) == ["http://site.invalid:81/a/b?c=d", "http://site.invalid:81/a/b?c=d"])
            #expect(seen.map(\.connection) == [0, 0])
            #expect(seen[0].headers["Host"] == "site.invalid:81")
            #expect(seen[0].text == "abc")
            let credentials = Data("me@x:se:cret/%".utf8).base64EncodedString()
            #expect(seen[0].headers["Proxy-Authorization"] == "Basic \(credentials)")
        }
    }

    @Test(arguments: Kind.overTLS(but: .proxies))
    func unreachableProxyFailsTheRequest(_ kind: Kind) async throws {
        let closed = try ReservedPort()
        defer { withExtendedLifetime(closed) {} }
        for host in ["127.0.0.1", "no-such-proxy.invalid"] {
            try await kind.run(.init(proxy: .http(host: host, port: closed.number))) { transport, server in
                let error = try await failure { try await transport.send(HTTPRequest(.get, server)) }
                #expect(error.code == .proxyFailed || error.code == .cannotConnect)
                #expect(error.phase == .connect)
                #expect(server.connections.accepted == 0)
            }
        }
    }

    @Test(
        "an https request passes a proxy through a tunnel",
        arguments: Kind.everywhere(but: .proxies).filter { $0.front != nil })
    func httpsRequestsUseATunnel(_ kind: Kind) async throws {
        let proxy = try TunnelProxy()
        let way = Proxy.http(host: "127.0.0.1", port: proxy.port, user: "me@x", password: "se:cret/%")
        try await kind.run(.init(proxy: way)) { transport, server in
            server.answer(with: .generated(bytes: 300_000))
            for _ in 0..<3 {
                let request = HTTPRequest(.put, server, "/a?b", headers: ["X-A": "1"], body: .data(generated(300_000)))
                let response = try await transport.send(request)
                #expect(response.status == 200)
                #expect(response.body == generated(300_000))
                #expect(response.headers["X-Proxy"] == nil)
                let seen = try await server.next()
                #expect(seen.target == "/a?b")
                #expect(seen.headers["X-A"] == "1")
                #expect(seen.body == generated(300_000))
                // Only the proxy gets its headers, and it gets no others.
                #expect(!seen.headers.contains { $0.name.lowercased().hasPrefix("proxy-") })
            }
            #expect(proxy.targets.count == 1)
            #expect(proxy.targets[0].hasPrefix("p\(server.port).up.localhost:"))
            let credentials = Data("me@x:se:cret/%".utf8).base64EncodedString().lowercased()
            #expect(proxy.lines[0].contains("proxy-authorization: basic \(credentials)"))
            #expect(!proxy.lines[0].contains { $0.hasPrefix("x-a") || $0.hasPrefix("accept-encoding") })
        }
    }

    @Test(
        "a refused tunnel fails the request", arguments: Kind.everywhere(but: .proxies).filter { $0.front != nil },
        [403, 407, 502])
    func refusedTunnelFailsTheRequest(_ kind: Kind, _ status: Int) async throws {
        let proxy = try TunnelProxy(refusing: status)
        try await kind.run(.init(proxy: .http(host: "127.0.0.1", port: proxy.port))) { transport, server in
            let error = try await failure {
                try await transport.send(HTTPRequest(.post, server, body: .string("secret")))
            }
            #expect(error.code == (status == 407 ? .proxyAuthenticationRequired : .proxyFailed), "\(error)")
            #expect(error.phase == .connect)
            #expect(error.response == nil)
            #expect(error.detail.contains("\(status)"), "\(error)")
            #expect(server.connections.accepted == 0)
        }
    }

    @Test(
        "a proxy that closes, sends garbage or stays silent before the tunnel is open",
        arguments: Kind.everywhere(but: .proxies).filter { $0.front != nil })
    func failedTunnelFailsTheRequest(_ kind: Kind) async throws {
        let rows: [(bytes: String?, code: RequestError.Code)] = [
            ("", .proxyFailed), ("HTTP/1.1 200 OK", .proxyFailed), ("nonsense\r\n\r\n", .proxyFailed),
            (nil, .connectTimedOut),
        ]
        for row in rows {
            let proxy = try RawListener { connection in
                _ = connection.read()
                if let bytes = row.bytes { connection.write(Array(bytes.utf8)) } else { _ = connection.read() }
            }
            try await kind.run(.init(proxy: .http(host: "127.0.0.1", port: proxy.port))) { transport, server in
                let options = TransportOptions().timing(connect: row.bytes == nil ? .milliseconds(300) : .seconds(60))
                let request = HTTPRequest(.post, server, body: .string("secret"))
                let error = try await failure { try await transport.send(request, options: options) }
                #expect(error.code == row.code, "\(row): \(error)")
                #expect(error.phase == .connect, "\(row): \(error)")
                #expect(error.trustFailure == nil)
                #expect(server.connections.accepted == 0)
            }
        }
    }

    @Test(arguments: Kind.overTLS(but: .unixSockets))
    func requestsUseAUnixSocket(_ kind: Kind) async throws {
        let files = ScratchFiles()
        let path = "/tmp/tango-\(files.url.lastPathComponent.suffix(12)).socket"
        let local = try LoopbackServer(unixSocket: path)
        local.answer(with: .text("local"))
        try await kind.run(.init(unixSocket: path)) { transport, _ in
            for _ in 0..<3 {
                let url = try #require(URL(string: "http://anything.invalid/x"))
                let body = Body.data(Data(count: 100_000))
                let response = try await transport.send(HTTPRequest(method: .post, url: url, body: body))
                #expect(response.body == Data("local".utf8))
            }
            #expect(local.requests.map(\.connection) == [0, 0, 0])
            #expect(local.requests[0].headers["Host"] == "anything.invalid")
        }
        try await kind.run(.init(unixSocket: path + ".missing")) { transport, _ in
            let url = try #require(URL(string: "http://anything.invalid/x"))
            let error = try await failure { try await transport.send(HTTPRequest(url: url)) }
            #expect(error.code == .cannotConnect)
        }
    }

    /// The address of a Unix socket has room for 107 bytes.
    @Test(arguments: Kind.all(but: .unixSockets))
    func unusablePathOfAUnixSocketIsRefused(_ kind: Kind) async throws {
        func error(_ path: String) async throws -> RequestError {
            let transport = try kind.make(.init(unixSocket: path))
            let url = try #require(URL(string: "http://anything.invalid/x"))
            let error = try await failure { try await transport.send(HTTPRequest(url: url)) }
            await transport.shutdown()
            return error
        }
        let folder = "/tmp/tango-none-"
        let longest = folder + String(repeating: "s", count: 107 - folder.utf8.count)
        #expect(try await error(longest).code == .cannotConnect)
        for (path, word) in [
            (longest + "s", "108 bytes"), ("/tmp/é" + longest, "114 bytes"), ("", "empty"), ("/a\0b", "null"),
        ] {
            let error = try await error(path)
            #expect(error.code == .unsupported, "\(path.debugDescription): \(error)")
            #expect(error.phase == .prepare)
            #expect(error.detail.contains(word), "\(error.detail)")
        }
    }

    @Test(arguments: Kind.all(but: .addresses))
    func configuredAddressesReplaceLookups(_ kind: Kind) async throws {
        let wishes = Kind.Wishes(addresses: [
            "one.invalid": ["127.0.0.1"], "Two.Invalid": ["127.0.0.1"], "gone.invalid": ["127.0.0.2", "127.0.0.1"],
        ])
        try await kind.run(wishes) { transport, server in
            server.answer(with: .text("ok"))
            for host in ["one.invalid", "ONE.invalid", "two.invalid", "gone.invalid", "one.invalid"] {
                let url = try #require(URL(string: "http://\(host):\(server.port)/"))
                let response = try await transport.send(HTTPRequest(url: url))
                #expect(response.status == 200, "\(host)")
                #expect(try await server.next().headers["Host"]?.lowercased() == "\(host.lowercased()):\(server.port)")
            }
            let url = try #require(URL(string: "http://three.invalid:\(server.port)/"))
            let error = try await failure { try await transport.send(HTTPRequest(url: url)) }
            #expect(error.code == .hostNotFound)
        }
    }
}

#if os(Linux)
    import Foundation
    import LoopbackServer
    import Testing

    @testable import TangoRequest
    @testable import TestSupport

    /// Requests through a SOCKS5 proxy.
    @Suite(.timeLimit(.minutes(20))) struct SOCKSProxyTests {
        typealias Kind = TransportUnderTest

        private func way(
            _ proxy: SOCKSProxy, user: String? = nil, password: String? = nil, resolvesNames: Bool = true
        ) -> Proxy {
            .socks5(host: "127.0.0.1", port: proxy.port, user: user, password: password, resolvesNames: resolvesNames)
        }

        // MARK: Success

        static let hosts: [(host: String, resolvesNames: Bool, target: SOCKSProxy.Target.Kind, sent: String)] = [
            ("site.invalid", true, .name, "site.invalid"), ("localhost", true, .name, "localhost"),
            ("127.0.0.1", true, .v4, "127.0.0.1"), ("127.0.0.1", false, .v4, "127.0.0.1"),
            ("[::1]", true, .v6, "0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:1"),
            ("[::1]", false, .v6, "0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:1"),
        ]

        @Test("the proxy or this system looks up the host", arguments: Kind.all(but: .proxies), hosts)
        func requestsPassTheProxy(
            _ kind: Kind, _ row: (host: String, resolvesNames: Bool, target: SOCKSProxy.Target.Kind, sent: String)
        ) async throws {
            let proxy = try SOCKSProxy()
            try await kind.run(.init(proxy: way(proxy, resolvesNames: row.resolvesNames))) { transport, server in
                server.answer(with: .generated(bytes: 300_000))
                let url = try #require(URL(string: "http://\(row.host):\(server.port)/a?b"))
                for _ in 0..<3 {
                    let body = Body.data(generated(300_000))
                    let response = try await transport.send(HTTPRequest(method: .put, url: url, body: body))
                    #expect(response.status == 200)
                    #expect(response.body == generated(300_000))
                    let seen = try await server.next()
                    // Unlike an HTTP proxy, it changes nothing about the request.
                    #expect(seen.target == "/a?b")
                    #expect(seen.body == generated(300_000))
                    #expect(!seen.headers.contains { $0.name.lowercased().hasPrefix("proxy-") })
                }
                let target = SOCKSProxy.Target(kind: row.target, host: row.sent, port: server.port)
                #expect(proxy.targets == [target])
            }
        }

        @Test("names that this system looks up reach the proxy as addresses", arguments: Kind.all(but: .proxies))
        func namesAreLookedUpHere(_ kind: Kind) async throws {
            let proxy = try SOCKSProxy()
            try await kind.run(.init(proxy: way(proxy, resolvesNames: false))) { transport, server in
                server.answer(with: .text("ok"))
                let url = try #require(URL(string: "http://localhost:\(server.port)/"))
                let response = try await transport.send(HTTPRequest(url: url))
                #expect(response.status == 200)
                #expect(proxy.targets.count == 1 && proxy.targets[0].kind != .name)
                let unknown = try #require(URL(string: "http://no-such-host.invalid/"))
                let error = try await failure { try await transport.send(HTTPRequest(url: unknown)) }
                #expect(error.code == .hostNotFound, "\(error)")
                #expect(error.phase == .connect)
            }
        }

        @Test("a tunnel over TLS", arguments: Kind.everywhere(but: .proxies).filter { $0.front != nil })
        func httpsRequestsPassTheProxy(_ kind: Kind) async throws {
            let proxy = try SOCKSProxy(requiring: ("ada", "secret"))
            try await kind.run(.init(proxy: way(proxy, user: "ada", password: "secret"))) { transport, server in
                server.answer(with: .text("ok"))
                let response = try await transport.send(HTTPRequest(.get, server))
                #expect(response.body == Data("ok".utf8))
                #expect(proxy.targets.map(\.kind) == [.name])
            }
        }

        // MARK: Users and passwords

        static let credentials: [(user: String?, password: String?, isAccepted: Bool)] = [
            (nil, nil, false), ("ada@x", "wrong-1", false), ("eve", "se:cret/%-1", false), ("ada@x", nil, false),
            ("ada@x", "se:cret/%-1", true),
        ]

        @Test("the proxy checks the user and the password", arguments: Kind.all(but: .proxies), credentials)
        func proxyChecksCredentials(
            _ kind: Kind, _ row: (user: String?, password: String?, isAccepted: Bool)
        ) async throws {
            let proxy = try SOCKSProxy(requiring: ("ada@x", "se:cret/%-1"))
            try await kind.run(.init(proxy: way(proxy, user: row.user, password: row.password))) { transport, server in
                server.answer(with: .text("ok"))
                if row.isAccepted {
                    let response = try await transport.send(HTTPRequest(.get, server))
                    #expect(response.status == 200)
                    return
                }
                let error = try await failure { try await transport.send(HTTPRequest(.get, server)) }
                #expect(error.code == .proxyAuthenticationRequired, "\(error)")
                #expect(error.phase == .connect)
                #expect(!error.isRetryable)
                #expect(server.connections.accepted == 0)
                for text in ["\(error)", error.detail, String(reflecting: error)] {
                    #expect(!text.contains("wrong-1") && !text.contains("cret") && !text.contains("ada@x"), "\(text)")
                }
            }
        }

        // MARK: Failures

        static let faults: [(fault: SOCKSProxy.Fault, code: RequestError.Code)] =
            [
                (.version(4), .proxyFailed), (.version(UInt8(ascii: "H")), .proxyFailed),
                (.noMethod, .proxyAuthenticationRequired), (.reply(1), .proxyFailed), (.reply(2), .proxyFailed),
                (.reply(3), .cannotConnect), (.reply(4), .cannotConnect), (.reply(5), .cannotConnect),
                (.reply(6), .cannotConnect), (.reply(7), .proxyFailed), (.reply(8), .proxyFailed),
                (.reply(99), .proxyFailed),
            ] + SOCKSProxy.Step.allCases.map { (.cut($0), .proxyFailed) }
            + SOCKSProxy.Step.allCases.map { (.silence($0), .connectTimedOut) }

        @Test("a proxy that fails", arguments: Kind.all(but: .proxies), faults)
        func failedProxyFailsTheRequest(
            _ kind: Kind, _ row: (fault: SOCKSProxy.Fault, code: RequestError.Code)
        ) async throws {
            let proxy = try SOCKSProxy(requiring: ("ada", "secret-1"), failing: row.fault)
            try await kind.run(.init(proxy: way(proxy, user: "ada", password: "secret-1"))) { transport, server in
                let isSilent = if case .silence = row.fault { true } else { false }
                let options = TransportOptions().timing(connect: isSilent ? .milliseconds(300) : .seconds(60))
                let request = HTTPRequest(.post, server, body: .string("x"))
                let error = try await failure { try await transport.send(request, options: options) }
                #expect(error.code == row.code, "\(row): \(error)")
                #expect(error.phase == .connect, "\(row): \(error)")
                #expect(!"\(error) \(error.detail)".contains("secret-1"))
                #expect(server.connections.accepted == 0)
            }
        }

        @Test(arguments: Kind.all(but: .proxies))
        func unreachableProxyFailsTheRequest(_ kind: Kind) async throws {
            let closed = try ReservedPort()
            defer { withExtendedLifetime(closed) {} }
            for host in ["127.0.0.1", "no-such-proxy.invalid"] {
                try await kind.run(.init(proxy: .socks5(host: host, port: closed.number))) { transport, server in
                    let error = try await failure { try await transport.send(HTTPRequest(.get, server)) }
                    #expect(error.code == (host == "127.0.0.1" ? .cannotConnect : .proxyFailed), "\(error)")
                    #expect(error.phase == .connect)
                    #expect(server.connections.accepted == 0)
                }
            }
        }
    }
#endif

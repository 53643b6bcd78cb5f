#if os(Linux) && URLSessionOnLinux
    import Foundation
    import LoopbackServer
    import Testing

    @testable import TangoRequest
    @testable import TangoURLSession
    @testable import TestSupport

    /// Sessions of requests. Requests under the same rules share a session until the rules are read again.
    @Suite(.timeLimit(.minutes(20)))
    struct SessionLaneTests {
        private func send(_ path: String, to server: LoopbackServer, by core: SessionCore) async throws -> HTTPResponse
        {
            let arrival = Arrival()
            let transfer = try SessionTransfer(
                HTTPRequest(.get, server, path), options: TransportOptions().timing(), in: core,
                completion: arrival.completion)
            core.submit(transfer)
            return try await arrival.response
        }

        @Test func rulesThatAreReadAgainGetANewSession() async throws {
            let server = try LoopbackServer()
            defer { server.stop() }
            let gate = Gate()
            server.answer(with: .text("ok"))
            server.answer("/held", with: .text("held").held(by: gate, at: .response))
            let core = SessionCore(URLSessionTransport.Configuration())
            async let held = send("/held", to: server, by: core)
            try await gate.reached()
            for _ in 0..<2 { #expect(try await send("/before", to: server, by: core).status == 200) }
            // Evicts the cached object of the rules with many others.
            for number in UInt8(0)..<64 {
                let rules = ServerTrust.authorities([.data(Data([number]))]).rules(for: "localhost")
                _ = try core.trusts.find(rules, make: SessionTrust.init)
            }
            for _ in 0..<2 { #expect(try await send("/after", to: server, by: core).status == 200) }
            gate.open()
            // The request in flight in the old session continues.
            #expect(try await held.body == Data("held".utf8))
            func connections(_ path: String) -> Set<Int> {
                Set(server.requests.filter { $0.path == path }.map(\.connection))
            }
            #expect(connections("/before").count == 1)
            #expect(connections("/after").count == 1)
            #expect(connections("/before") != connections("/after"))
            // The old session closes its connections when its last transfer has ended.
            try await within { try await server.connections(open: 1) }
            await core.shutDown()
        }

        @Test func theNumberOfSessionsIsBounded() async throws {
            let server = try LoopbackServer()
            defer { server.stop() }
            let gate = Gate()
            server.answer(with: .text("ok"))
            server.answer("/held", with: .text("held").held(by: gate, at: .response))
            let core = SessionCore(URLSessionTransport.Configuration())
            async let held = send("/held", to: server, by: core)
            try await gate.reached()
            let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
            var rules: [ServerTrust] = []
            for number in UInt8(0)..<40 {
                rules.append(.authorities([.data(Data([number]))]))
                let arrival = Arrival()
                let transfer = try SessionTransfer(
                    HTTPRequest(url: url), options: TransportOptions(trust: rules[rules.count - 1]), in: core,
                    completion: arrival.completion)
                core.submit(transfer)
                // The server has no TLS, but the attempt creates a session.
                _ = try await failure { try await arrival.response }
                #expect(core.sessionCount <= 16)
            }
            #expect(core.sessionCount == 16)
            // The dropped session finishes its transfer.
            gate.open()
            #expect(try await held.body == Data("held".utf8))
            await core.shutDown()
        }
    }
#endif

#if os(Linux)
    import Foundation
    import LoopbackServer
    import TangoRequest
    import Testing

    @testable import TestSupport

    /// A check of one capability: a transport sends a request, and the probe inspects the server and the response. It ignores
    /// the capabilities that the transport declares.
    struct CapabilityProbe: Sendable, CustomTestStringConvertible {
        typealias Kind = TransportUnderTest

        /// The name of the capability and of its row in the article on transports.
        let name: String
        let capability: TransportCapabilities
        /// The transports, with or without nginx before the server, that the probe works with.
        let kinds: [Kind]
        /// A Boolean value that indicates whether the probe needs nginx and its certificates.
        private(set) var needsNginx = false
        /// Returns true if the transport has the capability. False means that it refused the request before sending anything,
        /// or did something else instead.
        let isDone: @Sendable (Kind) async throws -> Bool

        init(
            _ name: String, _ capability: TransportCapabilities, by kinds: [Kind] = Kind.all,
            isDone: @escaping @Sendable (Kind) async throws -> Bool
        ) {
            (self.name, self.capability, self.kinds, self.isDone) = (name, capability, kinds, isDone)
        }

        var testDescription: String { name }

        /// In the order of the article.
        static let all: [CapabilityProbe] =
            [
                CapabilityProbe("tls", .tls) { kind in try await hello(of: kind).starts(with: [0x16, 0x03]) },
                CapabilityProbe("http2", .http2, by: Kind.all + Kind.everywhere.filter { $0.front == .http2 }) { kind in
                    // Without an HTTP/2 server, only the offer in the handshake can be checked.
                    guard kind.front == .http2 else {
                        return contains(Array("\u{2}h2".utf8), try await hello(of: kind))
                    }
                    return try await seen(kind, .text("x")) { response, _ in response.version == .http2 }
                },
                // The configuration of the tests does not ask for it, and a server in the clear has none.
                CapabilityProbe("http3", .http3) { kind in
                    try await seen(kind, .text("x")) { response, _ in response.version == .http3 }
                },
            ] + trust + [
                CapabilityProbe("responseBackPressure", .responseBackPressure, by: Kind.overTLS) { kind in
                    let written = Recorded<Int>()
                    let count = Portions.beyondBuffers
                    let answer = Response.stream { writer in
                        for number in 0..<count {
                            try await writer.write([UInt8](generated(65_536)))
                            written.add(number)
                        }
                    }
                    return try await seen(kind, answer, options: .stream) { response, site in
                        var iterator = response.stream.makeAsyncIterator()
                        _ = try #require(await iterator.next())
                        let sent = try await stillness(of: { written.all.count }, site.transport, site.server)
                        return sent < Portions.inBuffers
                    }
                },
                CapabilityProbe("requestBackPressure", .requestBackPressure, by: Kind.everywhere) { kind in
                    try await kind.seeing { transport, server in
                        let gate = Gate()
                        server.answer("/other", with: .text("ok"))
                        server.answer(with: .text("ok").held(by: gate, at: .requestHead))
                        let count = Portions.beyondBuffers
                        let portions = Portions { $0 < count ? generated(65_536) : nil }
                        let task = Task {
                            try await transport.send(
                                HTTPRequest(.put, server, body: .stream(portions)), options: TransportOptions().timing()
                            )
                        }
                        try await gate.reached()
                        let taken = try await stillness(of: { portions.taken.all.count }, transport, server)
                        // Other tests check that the whole body arrives.
                        task.cancel()
                        await #expect(throws: CancellationError.self) { try await task.value }
                        gate.open()
                        return taken < Portions.inBuffers
                    }
                },
                CapabilityProbe("trailers", .trailers, by: Kind.overTLS) { kind in
                    let gate = Gate()
                    // A transport without trailers must see the announcement before the trailers arrive. Otherwise the process
                    // ends.
                    let answer = Response.generated(bytes: 100_000).header("Trailer", "X-Sum").trailers(["X-Sum": "1"])
                        .held(by: gate, at: .responseBody)
                    return try await kind.seeing { transport, server in
                        server.answer(with: answer)
                        do {
                            var response = try await transport.send(HTTPRequest(.get, server), options: .stream)
                            gate.open()
                            try await response.collect()
                            return response.trailers["X-Sum"] == "1"
                        } catch let error as RequestError where error.code == .unsupported {
                            return false
                        }
                    }
                },
                CapabilityProbe("informationalResponses", .informationalResponses, by: Kind.overTLS) { kind in
                    let received = Recorded<Int>()
                    let options = TransportOptions { event in
                        if case .informational(let status, _) = event { received.add(status.code) }
                    }
                    let answer = Response.text("x").informational(103, headers: ["Link": "</a.css>"])
                    return try await seen(kind, answer, options: options) { _, _ in received.all == [103] }
                },
                CapabilityProbe("exactHeaders", .exactHeaders, by: Kind.overTLS) { kind in
                    let sent: Headers = ["x-B": "1", "X-a": "2", "x-B": "3"]
                    let answer = Response.text("x").header("x-B", "1").header("X-a", "2").header("x-B", "3")
                    return try await seen(kind, answer, headers: sent) { response, site in
                        let arrived = try await site.server.next().headers.map { "\($0.name): \($0.value)" }
                        let came = response.headers.map { "\($0.name): \($0.value)" }
                        let lines = ["x-B: 1", "X-a: 2", "x-B: 3"]
                        return [arrived, came].allSatisfy { $0.filter(lines.contains) == lines }
                    }
                },
                CapabilityProbe("getBodies", .getBodies, by: Kind.everywhere) { kind in
                    try await kind.seeing { transport, server in
                        server.answer(with: .text("x"))
                        return try await isNotRefused(server.connections.accepted) {
                            _ = try await transport.send(HTTPRequest(.get, server, body: .string("abc")))
                            #expect(try await server.next().text == "abc")
                        }
                    }
                },
                CapabilityProbe("phaseMetrics", .phaseMetrics, by: Kind.overTLS) { kind in
                    try await seen(kind, .text("x")) { response, _ in
                        let metrics = response.metrics
                        let isTimed = [metrics.connected, metrics.requestStarted, metrics.firstByte, metrics.finished]
                            .allSatisfy { $0 != nil }
                        return isTimed && (metrics.secured != nil) == (kind.front != nil)
                            && metrics.reusedConnection == false
                    }
                },
                CapabilityProbe("decompressionControl", .decompressionControl, by: Kind.everywhere) { kind in
                    let bytes = Gzip.stored(generated(1000))
                    let answer = Response.bytes(bytes).header("Content-Encoding", "gzip")
                    let asIs = try await seen(kind, answer, options: TransportOptions(decompression: nil)) {
                        response, _ in
                        response.body == bytes
                    }
                    return try await seen(kind, answer) { response, _ in asIs && response.body == generated(1000) }
                },
            ]

        // MARK: Rules of trust

        private static let trust: [CapabilityProbe] = [
            rule("pins", .pins, .pins([pin])) { server in
                let authority = server.trust
                return [
                    (.right, authority + .pins([try server.certificates.pin("right")]), nil),
                    (.right, authority + .pins([try server.certificates.pin("other")]), .wrongPin),
                ]
            },
            rule("authorities", .authorities, .authorities([.pem("")])) { server in
                [(.right, server.trust, nil), (.otherAuthority, server.trust, .unknownAuthority)]
            },
            rule("clientCertificates", .clientCertificates, .clientCertificate(.pem(""), key: .pem(""))) { server in
                let certificates = server.certificates
                let shown = ServerTrust.clientCertificate(
                    certificates.source("client.pem"), key: certificates.source("client.key"))
                return [(.clientWanted, server.trust + shown, nil)]
            },
            rule("minimumTLS", .minimumTLS, .minimumTLS(.v1_3)) { server in
                [
                    (.right, server.trust + .minimumTLS(.v1_3), nil),
                    (.tls1_2, server.trust + .minimumTLS(.v1_3), .tlsVersion),
                ]
            },
            rule("certificateNames", .certificateNames, .certificateName("other.test")) { server in
                let named = server.trust + .certificateName("elsewhere.test")
                return [(.wrongHost, named, nil), (.right, named, .wrongHost)]
            },
            rule("developmentHosts", .developmentHosts, .developmentHost("localhost")) { _ in
                [
                    (.selfSigned, .developmentHost("localhost"), nil),
                    (.selfSigned, .developmentHost("other.test"), .selfSigned),
                ]
            },
        ]

        private static let pin = "sha256/\(String(repeating: "A", count: 43))="

        /// A probe that succeeds if each server passes or fails a rule as expected.
        ///
        /// - Parameter alone: A rule of this kind. A transport that does not support it must not contact the server.
        private static func rule(
            _ name: String, _ capability: TransportCapabilities, _ alone: ServerTrust,
            _ servers: @escaping @Sendable (NginxServer) throws -> [(NginxServer.Site, ServerTrust, TrustFailure?)]
        ) -> CapabilityProbe {
            var probe = CapabilityProbe(name, capability) { kind in
                let listener = try RawListener { _ in }
                let url = try #require(URL(string: "https://localhost:\(listener.port)/"))
                let transport = try kind.make()
                let isTaken = try await isNotRefused(listener.accepted) {
                    let error = try await failure {
                        try await transport.send(HTTPRequest(url: url), options: TransportOptions(trust: alone))
                    }
                    if error.code == .unsupported { throw error }
                }
                guard isTaken else {
                    await transport.shutdown()
                    return false
                }
                let nginx = try await Nginx.server
                for (site, trust, expected) in try servers(nginx) {
                    let request = HTTPRequest(url: nginx.url(site, host: "localhost"))
                    let options = TransportOptions(trust: trust)
                    if let expected {
                        let error = try await failure { try await transport.send(request, options: options) }
                        #expect(error.trustFailure == expected, "\(name), \(site)")
                    } else {
                        #expect(try await transport.send(request, options: options).status == 200, "\(name), \(site)")
                    }
                }
                await transport.shutdown()
                return true
            }
            probe.needsNginx = true
            return probe
        }

        // MARK: Inspecting

        private struct Site: Sendable {
            let transport: any Transport
            let server: LoopbackServer
        }

        /// Sends a request and returns whether `look` accepts the response and what the server recorded.
        private static func seen(
            _ kind: Kind, _ answer: Response, headers: Headers = [:], options: TransportOptions = TransportOptions(),
            _ look: @escaping @Sendable (HTTPResponse, Site) async throws -> Bool
        ) async throws -> Bool {
            try await kind.seeing { transport, server in
                server.answer("/other", with: .text("ok"))
                server.answer(with: answer)
                let response = try await transport.send(HTTPRequest(.get, server, headers: headers), options: options)
                return try await look(response, Site(transport: transport, server: server))
            }
        }

        /// Returns false if `work` throws `unsupported`. Such a refusal must come before anything is sent.
        private static func isNotRefused(
            _ connections: @autoclosure () -> Int, _ work: () async throws -> Void
        ) async throws -> Bool {
            do {
                try await work()
                return true
            } catch let error as RequestError where error.code == .unsupported {
                #expect(error.phase == .prepare)
                #expect(connections() == 0)
                return false
            }
        }

        /// Returns the first bytes that a transport sends to an `https` URL: the ClientHello of TLS, or none.
        private static func hello(of kind: Kind) async throws -> [UInt8] {
            let heard = Recorded<[UInt8]>()
            let listener = try RawListener { connection in
                let head = connection.read(exactly: 5)
                let length = head.count == 5 ? Int(head[3]) << 8 | Int(head[4]) : 0
                heard.add(head + connection.read(exactly: length))
            }
            let transport = try kind.make()
            let url = try #require(URL(string: "https://localhost:\(listener.port)/"))
            let error = try await failure { try await transport.send(HTTPRequest(url: url)) }
            await transport.shutdown()
            if error.code == .unsupported { #expect(error.phase == .prepare && listener.accepted == 0) }
            return heard.all.first ?? []
        }

        private static func contains(_ part: [UInt8], _ bytes: [UInt8]) -> Bool {
            bytes.indices.contains { bytes[$0...].starts(with: part) }
        }
    }

    extension TransportUnderTest {
        /// Runs `body` with ``run(_:sourceLocation:_:)`` and returns its result.
        fileprivate func seeing(
            _ body: @escaping @Sendable (any Transport, LoopbackServer) async throws -> Bool
        ) async throws -> Bool {
            let found = Recorded<Bool>()
            try await run { transport, server in found.add(try await body(transport, server)) }
            return found.all == [true]
        }
    }
#endif

#if os(Linux) && URLSessionOnLinux
    import Foundation
    import LoopbackServer
    import Testing

    @testable import TangoRequest
    @testable import TestSupport
    import TangoURLSession
    import TangoCookies

    /// The limitations of `URLSessionTransport` on Linux, and its behavior instead, for each test that it does not pass.
    @Suite(.timeLimit(.minutes(20))) struct LimitationTests {
        private let transport = URLSessionTransport(.init(buffer: 1000, unread: 500_000))

        /// Requests that are refused for a limitation, each with a word of the error. None if the limitation shows only after
        /// sending, or if no request can be affected.
        static func refused(for limitation: Limitation) -> [Refused] {
            switch limitation {
            case .trailers: [Refused("trailers", headers: ["TE": "trailers"])]
            case .expectations: [Refused("Expect", .put, headers: ["Expect": "100-continue"])]
            case .lowercaseMethods: [Refused("POST", "post")]
            case .dotSegments: [Refused("segments", path: "/a/../b")]
            case .getBodies: [Refused("GET", body: .string("x"))]
            case .contentCoding: [Refused("decodes", headers: ["Accept-Encoding": "br"])]
            case .proxies: [Refused("proxy", proxy: .http(host: "127.0.0.1", port: 1))]
            case .trust:
                [
                    Refused("pins", trust: .pins(["sha256/\(String(repeating: "A", count: 43))="])),
                    Refused("authorities", trust: .authorities([.pem("")])),
                    Refused("clientCertificate", trust: .clientCertificate(.pem(""), key: .pem(""))),
                    Refused("minimumTLS", trust: .minimumTLS(.v1_3)),
                    Refused("certificateName", trust: .certificateName("other.test")),
                    Refused("developmentHost", trust: .developmentHost("127.0.0.1")),
                ]
            case .requestFieldOrder, .responseFieldOrder, .statusLines, .halfHeads, .oddHeads, .streamedUploads,
                .ownConnections, .lateResponses, .connectTimes, .backPressure, .floods, .phaseMetrics, .inheritance,
                .unixSockets, .addresses:
                []
            }
        }

        struct Refused: Sendable {
            let word: String
            var method: HTTPMethod
            var path = "/"
            var headers: Headers
            var body: Body
            var proxy: Proxy
            var trust: ServerTrust?

            init(
                _ word: String, _ method: HTTPMethod = .get, path: String = "/", headers: Headers = [:],
                body: Body = .none, proxy: Proxy = .direct, trust: ServerTrust? = nil
            ) {
                (self.word, self.method, self.path, self.headers, self.body) = (word, method, path, headers, body)
                (self.proxy, self.trust) = (proxy, trust)
            }
        }

        @Test("requests that URLSession would change are refused before anything is sent", arguments: refusable)
        func refuses(_ limitation: Limitation) async throws {
            let server = try LoopbackServer()
            for row in Self.refused(for: limitation) {
                let text = "\(row.trust == nil ? "http" : "https")://127.0.0.1:\(server.port)\(row.path)"
                let request = HTTPRequest(
                    method: row.method, url: try #require(URL(string: text)), headers: row.headers, body: row.body)
                let error = try await failure {
                    try await URLSessionTransport(.init(proxy: row.proxy)).send(
                        request, options: TransportOptions(trust: row.trust ?? .system))
                }
                #expect(error.code == .unsupported)
                #expect(error.phase == .prepare)
                #expect(error.detail.contains(row.word))
                #expect(server.connections.accepted == 0)
            }
        }

        static let refusable = Limitation.allCases.filter { !refused(for: $0).isEmpty }

        @Test(
            "other limitations have the behavior that the article describes",
            arguments: Limitation.allCases)
        func otherLimitationsBehaveAsDocumented(_ limitation: Limitation) async throws {
            switch limitation {
            case .trailers: try await announcedTrailers()
            case .halfHeads: try await endsTheProcess("half a head")
            case .floods: try await SessionCallsTests().slowCallsDoNotBlockCallers()
            case .backPressure: try await failsStreamsWithoutAReader()
            case .streamedUploads: try await spoolsStreamsBeforeSending()
            case .requestFieldOrder: try await joinsFieldsOfARequest()
            case .responseFieldOrder: try await sortsFieldsOfAResponse()
            case .statusLines: try await losesTheReasonPhrase()
            case .oddHeads: try await rejectsOddHeads()
            case .contentCoding: try await alwaysDecodes()
            case .unixSockets: hasNoSetting("socket")
            case .addresses: hasNoSetting("address")
            case .ownConnections: try await opensConnectionsForSomeMethods()
            case .lateResponses: try await cancelsDuringAResponse()
            case .inheritance: try await connectionsAreInherited()
            case .connectTimes: try await addsConnectTimeToIdleTime()
            case .phaseMetrics: try await timesTheFirstByteAndTheEnd()
            // These requests are never sent.
            case .expectations, .lowercaseMethods, .dotSegments, .getBodies, .proxies, .trust:
                #expect(Self.refusable.contains(limitation))
            }
        }

        @Test(
            "a server whose authority the system does not know is not trusted",
            .enabled(if: Nginx.isThere, Comment(rawValue: Nginx.comment)))
        func unknownAuthorities() async throws {
            let server = try await Nginx.server
            for (site, rule) in [(NginxServer.Site.right, TrustFailure.unknownAuthority), (.selfSigned, .selfSigned)] {
                let url = server.url(site, host: "localhost")
                let error = try await failure { try await transport.send(HTTPRequest(url: url)) }
                #expect(error.code == .untrusted, "\(error)")
                #expect(error.trustFailure == rule, "\(error)")
                #expect(error.phase == .connect)
            }
        }

        // MARK: Behavior instead

        /// Announced trailers fail the response before they arrive. Unannounced trailers end the process, and so may announced
        /// ones that arrive with the head.
        private func announcedTrailers() async throws {
            let server = try LoopbackServer()
            let gate = Gate()
            server.answer(
                with: Response.generated(bytes: 100_000).chunked().header("Trailer", "X-Sum").held(
                    by: gate, at: .responseBody))
            for delivery in [TransportOptions.Delivery.whole(), .stream] {
                let error = try await failure {
                    try await transport.send(HTTPRequest(.get, server), options: TransportOptions(delivery: delivery))
                }
                #expect(error.code == .unsupported)
                #expect(error.phase == .receive)
            }
            gate.open()
            await transport.shutdown()
            try await endsTheProcess("trailers")
            try await endsTheProcess("announced trailers")
        }

        private func endsTheProcess(_ answer: String) async throws {
            let child = try await RequestChild(
                // The backtracer holds the output open and may hang.
                "fatal", answer, environment: ["SWIFT_BACKTRACE": "enable=no"])
            #expect(child["sent"] == "yes", "\(child.facts)")
            #expect(child["done"] == nil && child.isKilled, "\(child.facts)")
        }

        private func joinsFieldsOfARequest() async throws {
            let server = try LoopbackServer()
            server.answer(with: .text("x"))
            _ = try await transport.send(HTTPRequest(.get, server, headers: ["X-A": "1", "X-A": "2"]))
            #expect(try await server.next().headers.all("X-A") == ["1, 2"])
        }

        private func sortsFieldsOfAResponse() async throws {
            let server = try LoopbackServer()
            server.answer(
                with: Response.text("x").header("X-Twice", "1").header("X-Twice", "2").header("A", "3")
                    .header("Set-Cookie", "a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT").header("Set-Cookie", "b=2"))
            let response = try await transport.send(HTTPRequest(.get, server))
            #expect(response.headers.all("X-Twice") == ["1, 2"])
            #expect(
                response.headers.all("Set-Cookie") == ["a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT", "b=2"])
            let names = response.headers.map { $0.name.lowercased() }
            #expect(names == names.sorted() && names.first == "a")
        }

        private func losesTheReasonPhrase() async throws {
            let server = try LoopbackServer()
            server.enqueue(.raw("HTTP/1.0 299 All of this\r\nContent-Length: 0\r\n\r\n"))
            let response = try await transport.send(HTTPRequest(.get, server))
            #expect(response.status == 299)
            #expect(response.reason == "")
            #expect(response.version == HTTPResponse(status: 299).version)
            try await isBad("HTTP/1.1 200\r\n")
        }

        private func rejectsOddHeads() async throws {
            try await isBad("HTTP/1.1 200 OK\r\nA:1\r\n")
            try await isBad("HTTP/1.1 200 OK\r\nA: caf\u{e9}\r\n")
            let server = try LoopbackServer()
            server.enqueue(.raw("HTTP/1.1 200 OK\r\nContent-Length: 6\r\nContent-Length: 5\r\n\r\nhello"))
            let response = try await transport.send(HTTPRequest(.get, server))
            #expect(response.body == Data("hello".utf8))
        }

        private func isBad(_ head: String) async throws {
            let server = try LoopbackServer()
            server.answer(
                with: .raw(Array(head.unicodeScalars.map { UInt8($0.value) }) + "Content-Length: 0\r\n\r\n".utf8))
            let error = try await failure { try await transport.send(HTTPRequest(.get, server)) }
            #expect(error.code == .badResponse, "\(head.debugDescription): \(error)")
        }

        private func alwaysDecodes() async throws {
            let server = try LoopbackServer()
            server.answer(with: Response.bytes(Gzip.stored(generated(1000))).header("Content-Encoding", "gzip"))
            for headers in [["Accept-Encoding": "identity"], ["Range": "bytes=0-99"]] as [Headers] {
                let options = TransportOptions(decompression: nil)
                let response = try await transport.send(HTTPRequest(.get, server, headers: headers), options: options)
                #expect(response.body == generated(1000))
            }
        }

        private func hasNoSetting(_ word: String) {
            let settings = Mirror(reflecting: transport.configuration).children.compactMap { $0.label?.lowercased() }
            #expect(settings.contains("proxy") && !settings.contains { $0.contains(word) })
        }

        private func opensConnectionsForSomeMethods() async throws {
            let server = try LoopbackServer()
            server.answer(with: .text("ok"))
            for (method, connection) in [(HTTPMethod.get, 0), (.get, 0), (.post, 1), (.get, 0), (.patch, 2)] {
                _ = try await transport.send(HTTPRequest(method, server))
                #expect(try await server.next().connection == connection, "\(method)")
            }
        }

        /// The connection may stay open or close. In both cases the next request gets its own response.
        private func cancelsDuringAResponse() async throws {
            let server = try LoopbackServer()
            for number in 0..<20 {
                let gate = Gate()
                server.enqueue(Response.text("late").held(by: gate, at: .response))
                let task = Task { try await transport.send(HTTPRequest(.get, server)) }
                try await gate.reached()
                gate.open()
                task.cancel()
                if case .success(let response) = await task.result { #expect(response.body == Data("late".utf8)) }
                server.enqueue(.text("next \(number)"))
                #expect(try await transport.send(HTTPRequest(.get, server)).body == Data("next \(number)".utf8))
            }
        }

        private func connectionsAreInherited() async throws {
            let server = try LoopbackServer()
            server.answer(with: .text("ok"))
            _ = try await transport.send(HTTPRequest(.get, server))
            let sockets = ShutdownTests.sockets(to: server.port)
            #expect(sockets.count == 1)
            for socket in sockets { #expect(fcntl(socket, F_GETFD) & FD_CLOEXEC == 0) }
        }

        private func timesTheFirstByteAndTheEnd() async throws {
            let server = try LoopbackServer()
            server.answer(with: .text("ok"))
            let metrics = try await transport.send(HTTPRequest(.get, server)).metrics
            #expect(metrics.firstByte != nil && metrics.finished != nil)
            #expect(metrics.reusedConnection == nil && metrics.remoteAddress == nil)
            #expect(
                [metrics.resolved, metrics.connected, metrics.secured, metrics.requestStarted].allSatisfy { $0 == nil })
        }

        private func failsStreamsWithoutAReader() async throws {
            let server = try LoopbackServer()
            server.answer(with: Response.generated(bytes: 1 << 40).throttled(bytes: 20_000, every: .milliseconds(2)))
            let response = try await transport.send(HTTPRequest(.get, server), options: .stream)
            var iterator = response.stream.makeAsyncIterator()
            _ = try #require(await iterator.next())
            try await server.connections(open: 0)
            let error = try await failure { while try await iterator.next() != nil {} }
            #expect(error.code == .responseTooLarge)
            #expect(error.detail.contains("wait for their reader"))
        }

        private func spoolsStreamsBeforeSending() async throws {
            let server = try LoopbackServer()
            server.answer(with: .text("ok"))
            let portions = Portions { number in
                if number == 30 { #expect(server.connections.accepted == 0) }
                return number < 31 ? generated(100_000) : nil
            }
            let response = try await transport.send(HTTPRequest(.put, server, body: .stream(portions)))
            #expect(response.status == 200)
            #expect(try await server.next().bodyCount == 3_100_000)
            let small = URLSessionTransport(.init(spool: 1000))
            let error = try await failure {
                try await small.send(HTTPRequest(.put, server, body: .stream(Portions([Data(count: 1001)]))))
            }
            #expect(error.code == .badBody)
        }

        private func addsConnectTimeToIdleTime() async throws {
            let listener = try FullListener()
            let options = TransportOptions().timing(connect: .milliseconds(60), idle: .milliseconds(40))
            for (body, code, time) in [
                (Body.none, RequestError.Code.idleTimedOut, Duration.milliseconds(100)),
                (.string("x"), .connectTimedOut, .milliseconds(60)),
            ] {
                let start = ContinuousClock.now
                let request = HTTPRequest(method: .put, url: listener.url, body: body)
                let error = try await failure { try await transport.send(request, options: options) }
                #expect(error.code == code)
                #expect(error.phase == .connect)
                #expect(ContinuousClock.now - start >= time - .milliseconds(2))
            }
        }

        // MARK: Behavior like other transports

        @Test("a redirect without a location is a response without a body")
        func redirectsWithoutALocation() async throws {
            let server = try LoopbackServer()
            for answer in [Response.text("gone", status: 301), .text("x", status: 308).header("Location", "")] {
                server.enqueue(answer)
                #expect(try await transport.send(HTTPRequest(.get, server)).status.code >= 301)
            }
            server.enqueue(Response.text("there", status: 302).header("Location", "http://[/"))
            #expect(try await transport.send(HTTPRequest(.get, server)).status == 302)
        }

        @Test(arguments: ["Basic", "Basic realm=\"x\"", "Digest", "Negotiate", "Bearer realm=x", "", "basic realm"])
        func challengesAreResponses(_ challenge: String) async throws {
            let server = try LoopbackServer()
            server.answer(with: Response.text("who?", status: 401).header("WWW-Authenticate", challenge))
            for delivery in [TransportOptions.Delivery.whole(), .stream] {
                var response = try await transport.send(
                    HTTPRequest(.get, server), options: TransportOptions(delivery: delivery))
                try await response.collect()
                #expect(response.status == 401)
                #expect(response.body == Data("who?".utf8))
            }
        }
    }
#endif

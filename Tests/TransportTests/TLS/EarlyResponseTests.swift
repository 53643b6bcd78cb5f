#if os(Linux)
    import Foundation
    import LoopbackServer
    import Testing

    @testable import TangoCurl
    @testable import TangoRequest
    @testable import TestSupport

    /// Responses before the end of the request body, and slow servers, with a real server.
    @Suite(.enabled(if: Nginx.isThere, Comment(rawValue: Nginx.comment)), .timeLimit(.minutes(20)))
    struct EarlyResponseTests {
        typealias Site = NginxServer.Site

        struct Early: Sendable, CustomTestStringConvertible {
            let path: String
            let status: HTTPStatus
            var body: String? = ""

            var testDescription: String { path }
        }

        static let answers = [
            Early(path: "/early/ok", status: .ok, body: "{}"), Early(path: "/early/empty", status: .ok),
            Early(path: "/early/none", status: .noContent), Early(path: "/early/encoded", status: .ok, body: "{}"),
            Early(path: "/refused", status: .contentTooLarge, body: nil),
        ]

        enum Form: String, CaseIterable, Sendable {
            case data, stream

            func body(_ count: Int) -> Body {
                switch self {
                case .data: return .data(generated(count))
                case .stream:
                    let portion = generated(10_000)
                    return .stream(Portions { $0 < count / 10_000 ? portion : nil })
                }
            }
        }

        private func send(
            _ answer: Early, _ body: Body, _ site: Site, _ delivery: TransportOptions.Delivery = .whole(),
            by transport: CurlTransport
        ) async throws {
            let server = try await Nginx.server
            let options = TransportOptions(trust: server.trust, delivery: delivery).timing(idle: .seconds(60))
            var response = try await transport.send(
                HTTPRequest(method: .post, url: server.url(site, answer.path), body: body), options: options)
            try await response.collect()
            #expect(response.status == answer.status)
            if let text = answer.body { #expect(String(decoding: response.body, as: UTF8.self) == text) }
        }

        @Test(arguments: answers, [Site.http2, .right])
        func responseBeforeTheBodyIsSentIsDelivered(_ answer: Early, _ site: Site) async throws {
            let transport = HandshakeTests.transport()
            try await within {
                for form in Form.allCases {
                    for count in [1_000, 65_536, 1_000_000] {
                        try await send(answer, form.body(count), site, by: transport)
                        try await send(answer, form.body(count), site, .stream, by: transport)
                    }
                }
            }
            await transport.shutdown()
        }

        @Test(arguments: answers)
        func manyEarlyResponsesOnOneConnectionAreDelivered(_ answer: Early) async throws {
            let transport = HandshakeTests.transport()
            try await within {
                for round in 0..<5 {
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for number in 0..<20 {
                            let form = Form.allCases[(number + round) % 2]
                            group.addTask { try await send(answer, form.body(1_000_000), .http2, by: transport) }
                        }
                        try await group.waitForAll()
                    }
                }
            }
            await transport.shutdown()
        }

        @Test func connectionIsReusedAfterAnEarlyResponse() async throws {
            let server = try await Nginx.server
            let transport = HandshakeTests.transport()
            let options = TransportOptions(trust: server.trust)
            var connections: Set<String> = []
            for _ in 0..<3 {
                let response = try await transport.send(HTTPRequest(url: server.url(.http2)), options: options)
                connections.insert(try #require(response.headers["X-Connection"]))
                try await send(Self.answers[0], .data(generated(1_000_000)), .http2, by: transport)
            }
            #expect(connections.count == 1)
            await transport.shutdown()
        }

        /// Long bodies use HTTP/1.1 if libcurl may lose early responses over HTTP/2.
        @Test(arguments: [
            (Body.none, true), (.data(Data(count: 65_536)), true), (.data(Data(count: 65_537)), false),
            (.stream(Portions([Data(count: 10)])), false), (.stream(Portions([Data(count: 10)]), length: 10), true),
        ])
        func longBodiesUseAReliableVersion(_ body: Body, _ isAlwaysHTTP2: Bool) async throws {
            let server = try await Nginx.server
            let transport = HandshakeTests.transport()
            let response = try await transport.send(
                HTTPRequest(method: .put, url: server.url(.http2, "/read"), body: body),
                options: TransportOptions(trust: server.trust))
            #expect(response.version == (isAlwaysHTTP2 || !CurlLibrary.losesEarlyResponses ? .http2 : .http1_1))
            await transport.shutdown()
        }

        /// libcurl 7.88 polls for writing without pause while the server allows no bytes.
        @Test func aServerThatReadsNothingCostsFewTurns() async throws {
            let server = try await Nginx.server
            let loopback = try LoopbackServer()
            let gate = Gate()
            loopback.answer("/stuck", with: Response.text("ok").held(by: gate, at: .requestHead))
            loopback.answer("/other", with: .text("ok"))
            try CurlLibrary.require()
            let loop = try CurlLoop(CurlConfiguration(proxy: .direct))
            let host = "p\(loopback.url.port ?? 0).up.localhost"
            let upload = HTTPRequest(
                method: .post, url: server.url(.narrow, "/stuck", host: host), body: .data(generated(65_536)))
            let options = TransportOptions(timeouts: .none, trust: server.trust)
            func pass(_ count: Int, _ request: HTTPRequest? = nil) async throws {
                for _ in 0..<count {
                    let request = request ?? HTTPRequest(.get, loopback, "/other")
                    let arrival = Arrival()
                    let transfer = try CurlTransfer(
                        request, options: options, on: loop, completion: arrival.completion)
                    transfer.start()
                    #expect(try await arrival.response.status == 200)
                }
            }
            // The first response sets the flow-control window of the server.
            try await pass(1, HTTPRequest(url: server.url(.narrow, "/other", host: host)))
            let arrival = Arrival()
            let stuck = try CurlTransfer(upload, options: options, on: loop, completion: arrival.completion)
            stuck.start()
            try await gate.reached()
            // Fill all buffers up to the server before counting.
            try await pass(200)
            let (turns, time) = (loop.sockets.waits, MonotonicTime.now())
            try await pass(200)
            let milliseconds = Int((MonotonicTime.now() - time) / 1_000_000)
            let taken = loop.sockets.waits - turns
            // Each request takes a few turns. A paused socket takes less than one each millisecond.
            #expect(taken <= 200 * 5 + milliseconds, "\(taken) turns in \(milliseconds) ms")

            gate.open()
            #expect(try await arrival.response.status == 200)
            #expect(loopback.requests.first { $0.method == "POST" }?.bodyCount == 65_536)
            loop.submit(.shutDown)
            await loop.ended()
            loopback.stop()
        }
    }
#endif

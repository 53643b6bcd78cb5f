import Foundation
import LoopbackServer
import TangoRequest
import Testing

@testable import TestSupport

/// Reuse of connections.
@Suite(.timeLimit(.minutes(20))) struct ReuseTests {
    typealias Kind = TransportUnderTest

    @Test(arguments: Kind.overTLS)
    func thousandsOfRequestsShareOneConnection(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: .text("ok"))
            for _ in 0..<2_000 { _ = try await transport.send(HTTPRequest(.get, server)) }
            #expect(server.connections.accepted == 1)
            #expect(server.requests.map(\.exchange) == Array(0..<2_000))
        }
    }

    /// `é` as one scalar and as two. The strings are equal, their bytes differ.
    private static let equivalents = ["caf\u{e9}", "cafe\u{301}"]

    @Test(arguments: Kind.overTLS)
    func equivalentHeaderValuesAreSentAsTheirBytes(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: .text("ok"))
            for value in Self.equivalents + Self.equivalents {
                let request = HTTPRequest(.get, server, headers: ["X-Place": value])
                _ = try await transport.send(request)
                let head = try await server.next().head
                #expect(head.firstRange(of: Array("X-Place: \(value)\r\n".utf8)) != nil, "\(Array(value.utf8))")
            }
            #expect(server.connections.accepted == 1)
        }
    }

    @Test(arguments: Kind.overTLS(but: .requestFieldOrder))
    func headerNamesAreSentInTheCaseOfEachRequest(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: .text("ok"))
            for name in ["X-Place", "x-place", "X-PLACE"] {
                _ = try await transport.send(HTTPRequest(.get, server, headers: [name: "1"]))
                let head = try await server.next().head
                #expect(head.firstRange(of: Array("\r\n\(name): 1\r\n".utf8)) != nil, "\(name)")
            }
            #expect(server.connections.accepted == 1)
        }
    }

    @Test(arguments: Kind.overTLS)
    func everyKindOfResponseLeavesTheConnectionUsable(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            var answers: [Response] = [
                .text("x"), .status(204), .status(304), .status(500), .chunks(["a", "b"]),
                .generated(bytes: 2_000_000), .redirect(to: "/x"), .text("x").informational(103),
                .text("x", status: 401).header("WWW-Authenticate", "Basic realm=x"),
            ]
            if !kind.limitations.contains(.trailers) { answers.append(.text("t").trailers(["a": "b"])) }
            for answer in answers {
                for delivery in [TransportOptions.Delivery.whole(), .stream] {
                    server.enqueue(answer)
                    let options = TransportOptions(delivery: delivery)
                    var response = try await transport.send(HTTPRequest(.get, server), options: options)
                    try await response.collect()
                }
            }
            #expect(server.connections.accepted == 1)
            #expect(server.requestCount == answers.count * 2)
        }
    }

    @Test(arguments: Kind.overTLS)
    func aConnectionThatTheServerClosesIsNotUsedAgain(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: .text("x").closing())
            for number in 0..<20 {
                let response = try await transport.send(HTTPRequest(.post, server, body: .string("x")))
                #expect(response.metrics.reusedConnection == false || kind.limitations.contains(.phaseMetrics))
                #expect(try await server.next().connection == number)
            }
        }
    }

    @Test(arguments: Kind.overTLS)
    func aRequestCanCloseItsConnection(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: .text("x"))
            for number in 0..<3 {
                _ = try await transport.send(HTTPRequest(.get, server, headers: ["Connection": "close"]))
                #expect(try await server.next().connection == number)
            }
        }
    }

    /// Waits until no client of a server has an open connection. A busy system delivers the end of a connection later.
    private func endsHaveArrived(from server: LoopbackServer) async throws {
        #if os(Linux)
            let port = ":" + String(65_536 + (server.url.port ?? 0), radix: 16, uppercase: true).dropFirst()
            while try String(contentsOfFile: "/proc/net/tcp", encoding: .utf8).split(separator: "\n").contains(where: {
                let columns = $0.split(separator: " ")
                return columns[2].hasSuffix(port) && columns[3] == "01"
            }) {
                await Task.yield()
            }
        #endif
    }

    @Test("an idle connection that was closed is replaced", arguments: Kind.all)
    func closedIdleConnectionsAreReplaced(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            for method in [HTTPMethod.get, .post] {
                for round in 0..<20 {
                    server.enqueue(Response.text("x").failing(.close, at: .end))
                    _ = try await transport.send(HTTPRequest(method, server, "/\(round)"))
                    let last = try await server.next()
                    try await server.connectionEnded(last.connection)
                    try await endsHaveArrived(from: server)
                    server.enqueue(.text("y"))
                    let response = try await transport.send(HTTPRequest(method, server, "/\(round)"))
                    #expect(response.body == Data("y".utf8))
                    _ = try await server.next()
                }
            }
        }
    }

    enum Loss: CaseIterable, Sendable {
        case close, reset, halfClose

        var effect: Fault.Effect {
            switch self {
            case .close: .close
            case .reset: .reset
            case .halfClose: .halfClose
            }
        }
    }

    /// `URLSession` sends such a request again by itself.
    @Test(
        "a request that loses its reused connection is on the wire once", arguments: Kind.overTLS(but: .phaseMetrics),
        Loss.allCases)
    func lostRequestsAreOnTheWireOnce(_ kind: Kind, _ loss: Loss) async throws {
        try await kind.run { transport, server in
            for method in [HTTPMethod.get, .put, .delete, .head, .post] {
                let body: Body = method == .put ? .string("x") : .none
                // Each of several connections is lost when it is reused.
                let gate = Gate()
                server.answer(with: Response.text("first").held(by: gate))
                async let first = transport.send(HTTPRequest(.get, server))
                async let second = transport.send(HTTPRequest(.get, server))
                async let third = transport.send(HTTPRequest(.get, server))
                try await gate.reached(count: 3)
                gate.open()
                _ = try await (first, second, third)
                let count = server.requestCount
                server.answer(with: Response.text("lost").failing(loss.effect, at: .response))
                let error = try await failure {
                    try await transport.send(HTTPRequest(method, server, body: body))
                }
                #expect(error.code == .connectionLost)
                #expect(error.isRetryable == (method != .post))
                #expect(server.requestCount == count + 1)
            }
        }
    }

    @Test("idempotent requests are sent again if a reused connection is lost", arguments: Kind.overTLS, Loss.allCases)
    func idempotentRequestsAreSentAgain(_ kind: Kind, _ loss: Loss) async throws {
        try await kind.run { transport, server in
            for method in [HTTPMethod.get, .put, .delete, .head] {
                server.enqueue(
                    .text("first"), Response.text("lost").failing(loss.effect, at: .response), .text("again"))
                let body: Body = method == .put ? .string("x") : .none
                let client = Client { $0.transport = transport }
                _ = try await client.send(HTTPRequest(method, server, body: body))
                let response = try await client.send(HTTPRequest(method, server, body: body))
                #expect(response.status == 200)
                #expect(method == .head || response.body == Data("again".utf8))
            }
        }
    }

    @Test("a POST fails if a reused connection is lost", arguments: Kind.overTLS, Loss.allCases)
    func nonIdempotentRequestsAreNotSentAgain(_ kind: Kind, _ loss: Loss) async throws {
        let files = ScratchFiles()
        let bodies: [Body] = [
            .none, .string("abc"), .data(Data(count: 1_000_000)), .file(try files.file("x", Data(count: 200_000))),
            .stream(making: { Portions([Data(count: 1000)]) }),
        ]
        try await kind.run { transport, server in
            for body in bodies {
                for method in [HTTPMethod.post, .patch, "NOTIFY"] {
                    let before = server.requestCount
                    server.enqueue(.text("first"), Response.text("lost").failing(loss.effect, at: .response))
                    server.answer(with: .text("sent twice"))
                    _ = try await transport.send(HTTPRequest(.get, server))
                    let error = try await failure {
                        try await transport.send(HTTPRequest(method, server, body: body))
                    }
                    #expect(error.code == .connectionLost)
                    #expect(error.phase == .wait || error.phase == .send)
                    #expect(!error.isRetryable)
                    #expect(server.requestCount == before + 2)
                }
            }
        }
    }

    @Test("a stream that can be read once is not sent partially", arguments: Kind.overTLS)
    func consumedStreamsAreNotSentPartially(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            for isReplayable in [true, false] {
                server.enqueue(.text("first"), Response.text("lost").failing(.reset, at: .response), .text("again"))
                _ = try await transport.send(HTTPRequest(.get, server))
                let portions = Portions([Data("abc".utf8)])
                let body: Body = isReplayable ? .stream(length: 3, making: { portions }) : .stream(portions, length: 3)
                do {
                    let response = try await transport.send(HTTPRequest(.put, server, body: body))
                    #expect(isReplayable && response.body == Data("again".utf8))
                } catch let error as RequestError {
                    // If the transport did not send it again, a caller may retry if the body is replayable.
                    #expect(error.isRetryable == isReplayable)
                    #expect(error.code == (isReplayable ? .connectionLost : .bodyNotReplayable))
                    _ = try await transport.send(HTTPRequest(.get, server))
                }
                // A request on a lost connection is recorded when the connection ends, which may be later.
                let whole = server.requests.filter { $0.method == "PUT" && $0.problem == nil }
                #expect(whole.allSatisfy { $0.text == "abc" })
            }
        }
    }

    @Test(arguments: Kind.overTLS)
    func lostConnectionsAreRetriedOnceAtMost(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.enqueue(.text("first"))
            _ = try await transport.send(HTTPRequest(.get, server))
            server.answer(with: Response.text("lost").failing(.close, at: .response))
            let error = try await failure { try await transport.send(HTTPRequest(.get, server)) }
            #expect(error.code == .connectionLost)
            #expect(server.requestCount <= 3)
        }
    }
}

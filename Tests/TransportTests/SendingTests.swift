import Foundation
import LoopbackServer
import TangoCookies
import TangoRequest
import Testing

@testable import TestSupport

/// Requests, as the server receives them.
@Suite(.timeLimit(.minutes(20))) struct SendingTests {
    typealias Kind = TransportUnderTest

    static let methods: [HTTPMethod] = [
        .get, .post, .put, .patch, .delete, .options, .query, "PROPFIND", "M-SEARCH", "get",
    ]

    /// Returns the methods whose case the transport preserves.
    private static func methods(of kind: Kind) -> [HTTPMethod] {
        kind.limitations.contains(.lowercaseMethods)
            ? methods.filter { $0.rawValue.first?.isLowercase == false } : methods
    }

    @Test(arguments: Kind.everywhere)
    func declaresItsCapabilities(_ kind: Kind) throws {
        #expect(try kind.make().capabilities == kind.capabilities)
    }

    @Test(arguments: Kind.overTLS)
    func sendsEveryMethodAfterEveryOther(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: .text("ok"))
            for before in Self.methods(of: kind) {
                for method in Self.methods(of: kind) {
                    let first: Body = before == .get && kind.limitations.contains(.getBodies) ? .none : .string("abc")
                    for (each, body) in [(before, first), (method, .none)] {
                        let response = try await transport.send(HTTPRequest(each, server, "/x?y", body: body))
                        #expect(response.status == 200)
                        let seen = try await server.next()
                        #expect(seen.method == each.rawValue, "\(each) after \(before)")
                        #expect(seen.target == "/x?y")
                        #expect(seen.version == "HTTP/1.1")
                        #expect(seen.text == (seen.headers["Content-Length"] == "3" ? "abc" : ""))
                    }
                }
            }
            #expect(server.connections.accepted == 1 || kind.limitations.contains(.ownConnections))
        }
    }

    @Test(arguments: Kind.overTLS(but: .requestFieldOrder))
    func sendsHeadersInOrderWithCaseAndDuplicates(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: .text("ok"))
            let headers: Headers = [
                "X-b": "1", "x-A": "two words", "X-Twice": "a", "X-Empty": "", "X-Twice": "b", "X-Utf": "é€",
                "Cookie": "a=1", "Cookie": "b=2", "X-Comma": "a, b", "X-Colon": ": ;",
            ]
            _ = try await transport.send(HTTPRequest(.get, server, headers: headers))
            let seen = try await server.next()
            let sent = seen.headers.filter { line in headers.contains { $0.name == line.name } }
            #expect(sent.map(\.name) == headers.map(\.name))
            #expect(sent.map(\.value) == headers.map(\.value))
        }
    }

    @Test(arguments: Kind.overTLS(but: .requestFieldOrder))
    func preservesTheCaseOfHeadersOnAReusedConnection(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: .text("ok"))
            for name in ["X-Name", "x-name", "X-NAME"] {
                _ = try await transport.send(HTTPRequest(.get, server, headers: [name: "1"]))
                #expect(try await server.next().headers.contains { $0.name == name })
            }
        }
    }

    @Test("a blank header value is sent as an empty one", arguments: Kind.everywhere)
    func sendsBlankValues(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: .text("ok"))
            for value in ["", " ", "\t", "  \t "] {
                _ = try await transport.send(HTTPRequest(.get, server, headers: ["X-Blank": value]))
                #expect(try await server.next().headers["X-Blank"] == "", "for \(value.debugDescription)")
            }
        }
    }

    @Test(arguments: Kind.everywhere)
    func addsNoOtherHeaders(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: .text("ok"))
            let options = TransportOptions(decompression: nil)
            let bodies: [(HTTPMethod, Body)] = [
                (.get, .none), (.post, .none), (.post, .data(Data(count: 10))), (.put, .data(Data(count: 3 << 20))),
                (.delete, .none), (.head, .none), (.post, .stream(Portions([Data(count: 5)]))),
            ]
            for (method, body) in bodies {
                _ = try await transport.send(HTTPRequest(method, server, body: body), options: options)
                let names = Set(try await server.next().headers.map { $0.name.lowercased() })
                let extra = names.subtracting(["host", "content-length", "transfer-encoding"])
                #expect(extra.isEmpty, "\(method)")
            }
        }
    }

    @Test(arguments: Kind.overTLS)
    func sendsTheHostOfTheURLUnlessTheRequestSetsOne(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: .text("ok"))
            _ = try await transport.send(HTTPRequest(.get, server))
            #expect(try await server.next().headers.all("Host") == ["127.0.0.1:\(server.port)"])
            _ = try await transport.send(HTTPRequest(.get, server, headers: ["Host": "other.example"]))
            #expect(try await server.next().headers.all("Host") == ["other.example"])
            _ = try await transport.send(HTTPRequest(.get, server))
            #expect(try await server.next().headers.all("Host") == ["127.0.0.1:\(server.port)"])
        }
    }

    static let targets = ["/", "/%41%2f?a=%20&b=+", "/?", "/a//b", "/x?y=/../z", "/...", "/ä€"]

    @Test("targets are sent unchanged", arguments: Kind.everywhere, targets)
    func sendsTargets(_ kind: Kind, _ target: String) async throws {
        try await sends(target, by: kind)
    }

    @Test(
        "dot segments are sent unchanged", arguments: Kind.everywhere(but: .dotSegments),
        ["/a/../b/./c", "/b/..", "/a/."])
    func sendsDotSegments(_ kind: Kind, _ target: String) async throws {
        try await sends(target, by: kind)
    }

    private func sends(_ target: String, by kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: .text("ok"))
            let url = try #require(URL(string: "http://127.0.0.1:\(server.port)\(target)#fragment"))
            _ = try await transport.send(HTTPRequest(url: url))
            let expected = target.utf8.contains { $0 > 127 } ? "/%C3%A4%E2%82%AC" : target
            #expect(try await server.next().target == expected)
        }
    }

    @Test(arguments: Kind.everywhere)
    func sendsTheContentTypeOfTheBodyUnlessTheRequestSetsOne(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: .text("ok"))
            let cases: [(Body, Headers, [String])] = [
                (.data(Data([1])), [:], []),
                (.data(Data([1]), contentType: "a/b"), [:], ["a/b"]),
                (.data(Data([1]), contentType: "a/b"), ["content-type": "c/d"], ["c/d"]),
                (.string("x"), [:], ["text/plain; charset=utf-8"]),
                (.stream(Portions([Data([1])]), length: 1, contentType: "e/f"), [:], ["e/f"]),
                (.none, ["Content-Type": "g/h"], ["g/h"]),
                (.none, [:], []),
            ]
            for (body, headers, expected) in cases {
                _ = try await transport.send(HTTPRequest(.post, server, headers: headers, body: body))
                #expect(try await server.next().headers.all("Content-Type") == expected)
            }
        }
    }

    @Test(arguments: Kind.everywhere)
    func refusesContentTypesWithLineBreaks(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            for length in [1, 1 << 20] {
                let body = Body.data(Data(count: length), contentType: "a/b\r\nX-Forged: 1")
                let error = try await failure { try await transport.send(HTTPRequest(.post, server, body: body)) }
                #expect(error.code == .badHeader)
                #expect(error.phase == .prepare)
            }
            #expect(server.connections.accepted == 0)
        }
    }

    @Test(arguments: Kind.everywhere)
    func declaresTheLengthOfTheBodyItself(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: .text("ok"))
            let headers: Headers = ["Content-Length": "77", "transfer-encoding": "gzip, chunked"]
            for body in [Body.string("abc"), .none, .stream(Portions([Data("abc".utf8)]), length: 3)] {
                _ = try await transport.send(HTTPRequest(.post, server, headers: headers, body: body))
                let seen = try await server.next()
                let isEmpty = if case .none = body.content { true } else { false }
                #expect(seen.headers.all("Content-Length") == [isEmpty ? "0" : "3"])
                #expect(seen.headers.all("Transfer-Encoding") == [])
                #expect(seen.text == (isEmpty ? "" : "abc"))
            }
        }
    }

    @Test("methods that usually have a body declare an empty one", arguments: Kind.everywhere)
    func framesEmptyBodies(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: .text("ok"))
            let expected: [(HTTPMethod, Body, String?)] = [
                (.post, .none, "0"), (.put, .none, "0"), (.patch, .none, "0"), (.get, .none, nil),
                (.delete, .none, nil), (.options, .none, nil), (.head, .none, nil), (.post, .data(Data()), "0"),
                (.delete, .data(Data()), "0"),
            ]
            for (method, body, length) in expected + expected.reversed() {
                _ = try await transport.send(HTTPRequest(method, server, body: body))
                let seen = try await server.next()
                #expect(seen.headers["Content-Length"] == length, "\(method)")
                #expect(seen.headers["Transfer-Encoding"] == nil)
                #expect(seen.bodyCount == 0)
            }
        }
    }

    @Test(arguments: Kind.overTLS)
    func headGetsTheHeadersOfGetWithoutABody(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: .generated(bytes: 5_000).header("ETag", "x"))
            for delivery in [TransportOptions.Delivery.whole(), .stream] {
                let options = TransportOptions(delivery: delivery)
                var response = try await transport.send(HTTPRequest(.head, server), options: options)
                try await response.collect()
                #expect(response.headers["Content-Length"] == "5000")
                #expect(response.headers["ETag"] == "x")
                #expect(response.body.isEmpty)
                #expect(try await server.next().method == "HEAD")
                _ = try await transport.send(HTTPRequest(.get, server))
                #expect(try await server.next().connection == 0)
            }
        }
    }

    @Test(arguments: Kind.everywhere)
    func sendsNoCredentialsOfTheURL(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: .text("ok"))
            let url = try #require(URL(string: "http://me:secret@127.0.0.1:\(server.port)/x"))
            _ = try await transport.send(HTTPRequest(url: url))
            let seen = try await server.next()
            #expect(seen.target == "/x")
            #expect(seen.headers["Host"] == "127.0.0.1:\(server.port)")
        }
    }
}

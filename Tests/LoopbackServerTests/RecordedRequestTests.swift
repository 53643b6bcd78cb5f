import Foundation
import LoopbackServer
import Testing

@Suite(.serialized, .timeLimit(.minutes(20))) struct RecordedRequestTests {
    @Test func headIsRecordedUnchanged() async throws {
        let server = try LoopbackServer()
        server.answer(with: .status(200))
        _ = try await answer(
            server, "PROPFIND /a%20b?x=1&y HTTP/1.1\r\nhOST: a\r\nX-A: 1\r\nx-a:  2 \r\nEmpty:\r\nX-L: \u{e9}\r\n\r\n")
        let request = try #require(server.requests.first)
        #expect(request.method == "PROPFIND")
        #expect(request.target == "/a%20b?x=1&y")
        #expect(request.path == "/a%20b")
        #expect(request.query == "x=1&y")
        #expect(request.version == "HTTP/1.1")
        #expect(request.headers.map(\.name) == ["hOST", "X-A", "x-a", "Empty", "X-L"])
        #expect(request.headers.all("X-A") == ["1", "2"])
        #expect(request.headers["host"] == "a")
        #expect(request.headers["empty"] == "")
        #expect(request.headers["none"] == nil)
        #expect(request.headers["x-l"] == "\u{e9}")
        #expect(request.description == "PROPFIND /a%20b?x=1&y (connection 0, exchange 0)")
    }

    @Test func connectionAndExchangeShowReuse() async throws {
        let server = try LoopbackServer()
        server.answer(with: .text("x"))
        try await onThread {
            let first = try RawClient(server)
            first.send(get("/a"))
            _ = first.receive(until: "\r\n\r\nx")
            let second = try RawClient(server)
            second.send(get("/b"))
            _ = second.receive(until: "\r\n\r\nx")
            first.send(get("/c"))
            _ = first.receive(until: "\r\n\r\nx")
        }
        #expect(server.requests.map(\.connection) == [0, 1, 0])
        #expect(server.requests.map(\.exchange) == [0, 0, 1])
    }

    @Test func pipelinedRequestsGetResponsesInOrder() async throws {
        let server = try LoopbackServer()
        server.answer { request in .text(request.path) }
        server.answer("/later") { _ in
            await Task.yield()
            return .text("later")
        }
        server.answer("/slow", with: .text("slow").delayed(by: .milliseconds(5)))
        let paths = (0..<300).map { $0 % 7 == 0 ? "/later" : $0 % 11 == 0 ? "/slow" : "/\($0)" }
        let seen = try await answer(server, paths.map { post($0, "body") }.joined())
        let bodies = seen.components(separatedBy: "HTTP/1.1 200 OK").dropFirst()
            .map { $0.components(behind: "\r\n\r\n") }
        #expect(bodies == paths.map { $0 == "/later" ? "later" : $0 == "/slow" ? "slow" : $0 })
        #expect(server.requests.map(\.exchange) == Array(0..<300))
        #expect(server.requests.allSatisfy { $0.text == "body" && $0.problem == nil })
    }

    @Test func requestMayArriveByteByByte() async throws {
        let server = try LoopbackServer()
        server.answer { .text($0.text) }
        let seen = try await onThread {
            let client = try RawClient(server)
            for byte in post("/", "hello").utf8 { client.send([byte]) }
            client.endSending()
            return client.everything().text
        }
        #expect(seen.hasSuffix("\r\n\r\nhello"))
    }

    @Test func chunkSizesAndTrailersAreRecorded() async throws {
        let server = try LoopbackServer()
        server.answer { .text($0.text) }
        let seen = try await answer(
            server,
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n"
                + "3;ext=1\r\nabc\r\nA\r\n0123456789\r\n0\r\nX-Sum: 1\r\nX-Sum: 2\r\n\r\n" + get("/next"))
        #expect(seen.contains("\r\n\r\nabc0123456789HTTP/1.1 200"))
        let request = try #require(server.requests.first)
        #expect(request.chunkSizes == [3, 10])
        #expect(request.trailers.all("x-sum") == ["1", "2"])
        #expect(request.body == Data("abc0123456789".utf8))
        #expect(request.bodyCount == 13)
        #expect(server.requests.last?.path == "/next")
    }

    @Test(arguments: [LoopbackServer.BodyRecording.all, .first(10), .none])
    func sizeAndDigestOfABodyAreAlwaysRecorded(_ keeping: LoopbackServer.BodyRecording) async throws {
        let server = try LoopbackServer(bodies: keeping)
        server.answer(with: .status(200))
        let bytes = (0..<1_000_003).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        _ = try await onThread {
            let client = try RawClient(server)
            client.send("POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: \(bytes.count)\r\n\r\n")
            client.send(bytes)
            return client.everything().text
        }
        let request = try #require(server.requests.first)
        #expect(request.bodyCount == bytes.count)
        #expect(request.bodyDigest == ContentDigest(bytes))
        switch keeping {
        case .all: #expect(request.body == Data(bytes))
        case .first(let count): #expect(request.body == Data(bytes[..<count]))
        case .none: #expect(request.body.isEmpty)
        }
    }

    @Test func digestsDoNotDependOnPortions() {
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        for portion in [1, 3, 7, 8, 64, 999] {
            var digest = ContentDigest()
            for start in stride(from: 0, to: bytes.count, by: portion) {
                bytes[start..<min(bytes.count, start + portion)].withUnsafeBytes { digest.add($0) }
            }
            #expect(digest == ContentDigest(bytes))
        }
        #expect(ContentDigest([0]) != ContentDigest([0, 0]))
        #expect(ContentDigest([]) != ContentDigest([0]))
        #expect(ContentDigest(bytes).description.count == 16)
    }

    @Test func incompleteRequestIsRecordedAsIncomplete() async throws {
        let server = try LoopbackServer()
        server.answer(with: .status(200))
        try await onThread {
            let client = try RawClient(server)
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc")
            client.leave()
        }
        let request = try await server.next()
        #expect(request.problem == .incomplete)
        #expect(request.text == "abc")
    }
}

import LoopbackServer
import Testing

/// The code of the documentation of the loopback server.
@Suite(.serialized, .timeLimit(.minutes(20))) struct LoopbackServerSnippets {
    @Test func start() async throws {
        let server = try LoopbackServer()
        server.answer("/users/1", with: .json(#"{"id": 1}"#))
        let user = try await load(server.url("/users/1"))
        #expect(user == #"{"id": 1}"#)
        #expect(server.requests.map(\.path) == ["/users/1"])
    }

    @Test func showsTheUser() async throws {
        let server = try LoopbackServer()
        server.answer("/users/1", with: .json(#"{"id": 1, "name": "Ada"}"#))

        let user = try await load(server.url("/users/1"))

        #expect(user.contains("Ada"))
        let request = try await server.next()
        #expect(request.method == "GET")
        #expect(request.headers["host"] == "127.0.0.1:\(server.port)")
    }

    @Test func routes() async throws {
        let server = try LoopbackServer()
        server.answer("/users/1", with: .json(#"{"id": 1}"#))
        server.answer("/users", method: "POST", with: .status(201).header("Location", "/users/2"))
        server.answer("/files/*", with: .generated(bytes: 100_000_000))
        server.answer("/echo") { request in .bytes(request.body, type: "text/plain") }
        server.answer { request in .text("no \(request.path) here", status: 404) }
        #expect(try await load(server.url("/a")) == "no /a here")

        server.enqueue(.status(503).header("Retry-After", "1"), .text("ok"))
        _ = try await load(server.url("/a"))
        #expect(try await load(server.url("/a")) == "ok")
    }

    @Test func responses() async throws {
        let server = try LoopbackServer()
        server.answer("/users/1", with: .json(#"{"id": 1}"#).header("ETag", "\"1\""))
        server.answer("/users", method: "POST", with: .status(201).header("Location", "/users/2"))
        server.answer("/large", with: .generated(bytes: 100_000_000).chunked(size: 65_536))
        server.answer("/slow", with: .text("at last").delayed(by: .seconds(1)))
        server.enqueue(.status(503), .text("ok").failing(.reset, at: .responseBody))
        #expect(server.queued == 2)
    }

    @Test func moreResponses() async throws {
        let server = try LoopbackServer()
        server.answer("/a", with: .text("hello").chunked(size: 2).trailers(["X-Sum": "1"]))
        server.answer("/b", with: .status(200, reason: "").headerLine("X-Tight:1"))
        server.answer("/c", with: .text("short").declaring(length: 100).closing())
        server.answer("/d", with: .text("hinted").informational(103, headers: ["Link": "</style.css>"]))
        server.answer("/e", with: .chunks(["first", "second"], isEnded: false))
        server.answer("/f", with: .raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nab"))
        server.answer("/g", with: .text("slow").throttled(bytes: 1, every: .milliseconds(100)))
        server.answer("/h", with: .status(413).beforeRequestBody())
        server.answer(
            "/i",
            with: .stream { writer in
                for number in 1...3 { try await writer.write("event \(number)\n") }
            })
        #expect(try await load(server.url("/c")) == "short")
        #expect(try await load(server.url("/i")).contains("event 3"))
    }

    @Test func gates() async throws {
        let server = try LoopbackServer()
        let gate = Gate()
        server.answer("/slow", with: .text("done").held(by: gate))
        let response = Task { try await load(server.url("/slow")) }
        try await gate.reached()
        // The server has the request, and the client has no response yet. What does it show?
        gate.open()
        _ = try await response.value
    }

    @Test func requests() async throws {
        let server = try LoopbackServer()
        _ = try await answer(server, get("/a") + get("/b") + get("/c"))
        let next = try await server.next()
        let three = try await server.requests(count: 3)
        #expect(next.path == "/a")
        #expect(three.map(\.connection) == [0, 0, 0])
        #expect(three.map(\.exchange) == [0, 1, 2])

        try await server.happened(.closed(connection: 0, by: .client))
        try await server.connections(open: 0)
    }

    @Test func headers() {
        let headers: HeaderLines = ["Content-Type": "text/plain", "Set-Cookie": "a=1", "Set-Cookie": "b=2"]
        let type = headers["content-type"]
        let cookies = headers.all("Set-Cookie")
        #expect(type == "text/plain")
        #expect(cookies == ["a=1", "b=2"])
    }

    @Test func faults() async throws {
        let server = try LoopbackServer()
        server.enqueue(.text("hello").failing(.reset, at: .responseBody))
        server.enqueue(.text("hello").failing(.garbage, at: .response), .text("hello"))
        server.enqueueFault(atAccept: .close)
        #expect(server.queued == 3)
    }

    @Test func races() async throws {
        let server = try LoopbackServer()
        let gate = Gate()
        server.enqueue(.text("one").held(by: gate, at: .end).failing(.close, at: .end))
        gate.open()
        #expect(try await load(server.url("/")) == "one")
    }
}

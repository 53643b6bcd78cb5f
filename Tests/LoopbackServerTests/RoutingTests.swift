import LoopbackServer
import Testing

@Suite(.serialized, .timeLimit(.minutes(20))) struct RoutingTests {
    private func body(_ server: LoopbackServer, _ request: String) async throws -> String {
        try await answer(server, request).components(behind: "\r\n\r\n")
    }

    @Test func requestWithoutARouteGetsA404() async throws {
        let server = try LoopbackServer()
        #expect(try await answer(server, get("/")).hasPrefix("HTTP/1.1 404 Not Found\r\n"))
    }

    @Test func routeMatchesItsPathWithAnyQuery() async throws {
        let server = try LoopbackServer()
        server.answer("/a", with: .text("A"))
        #expect(try await body(server, get("/a")) == "A")
        #expect(try await body(server, get("/a?x=1")) == "A")
        #expect(try await answer(server, get("/a/")).hasPrefix("HTTP/1.1 404"))
    }

    @Test func routeForAMethodTakesPrecedence() async throws {
        let server = try LoopbackServer()
        server.answer("/a", method: "POST", with: .text("posted"))
        server.answer("/a", with: .text("any"))
        server.answer("/b", method: "GET", with: .text("got"))
        #expect(try await body(server, post("/a", "x")) == "posted")
        #expect(try await body(server, get("/a")) == "any")
        #expect(try await answer(server, "HEAD /b HTTP/1.1\r\nHost: a\r\n\r\n").hasPrefix("HTTP/1.1 200"))
        #expect(try await answer(server, post("/b", "x")).hasPrefix("HTTP/1.1 404"))
    }

    @Test func newRouteReplacesTheOldOne() async throws {
        let server = try LoopbackServer()
        server.answer("/a", with: .text("old"))
        server.answer("/a", with: .text("new"))
        #expect(try await body(server, get("/a")) == "new")
    }

    @Test func starMatchesPathsWithAPrefix() async throws {
        let server = try LoopbackServer()
        server.answer("/users/*", with: .text("any"))
        server.answer("/users/me/*", with: .text("mine"))
        server.answer("/users/1", with: .text("first"))
        #expect(try await body(server, get("/users/2")) == "any")
        #expect(try await body(server, get("/users/me/x")) == "mine")
        #expect(try await body(server, get("/users/1")) == "first")
    }

    @Test func queueTakesPrecedenceOverRoutes() async throws {
        let server = try LoopbackServer()
        server.answer("/a", with: .text("route"))
        server.enqueue(.status(503), .text("second"))
        #expect(server.queued == 2)
        #expect(try await answer(server, get("/a")).hasPrefix("HTTP/1.1 503 Service Unavailable\r\n"))
        #expect(try await body(server, get("/b")) == "second")
        #expect(try await body(server, get("/a")) == "route")
        #expect(server.queued == 0)
    }

    @Test func handlersCanBeSynchronousOrAsynchronous() async throws {
        let server = try LoopbackServer()
        server.answer { request in .text("hello \(request.path)") }
        server.answer("/later") { request in
            await Task.yield()
            return .text("later \(request.text)")
        }
        #expect(try await body(server, get("/x")) == "hello /x")
        #expect(try await body(server, post("/later", "body")) == "later body")
    }

    @Test func handlerThatThrowsGivesAStatusOf500() async throws {
        struct Broken: Error {}
        let server = try LoopbackServer()
        server.answer("/a") { _ in throw Broken() }
        server.answer("/b") { _ in
            await Task.yield()
            throw Broken()
        }
        #expect(try await answer(server, get("/a")).hasPrefix("HTTP/1.1 500"))
        #expect(try await answer(server, get("/b")).hasPrefix("HTTP/1.1 500"))
    }

    @Test func absoluteTargetsAreRoutedByTheirPath() async throws {
        let server = try LoopbackServer()
        server.answer("/a", with: .text("A"))
        server.answer("/", with: .text("root"))
        #expect(try await body(server, get("http://example.com/a?b")) == "A")
        #expect(try await body(server, get("http://example.com")) == "root")
        let request = try #require(server.requests.first)
        #expect(request.target == "http://example.com/a?b")
        #expect(request.path == "/a")
        #expect(request.query == "b")
        #expect(server.requests.last?.path == "/")
    }

    @Test func tunnelLeadsBackToTheServer() async throws {
        let server = try LoopbackServer()
        server.answer("/a", with: .text("A"))
        let seen = try await answer(
            server, "CONNECT example.com:80 HTTP/1.1\r\nHost: example.com:80\r\n\r\n" + get("/a"))
        #expect(seen.hasPrefix("HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 200 OK\r\n"))
        #expect(server.requests.map(\.method) == ["CONNECT", "GET"])
        #expect(server.requests.map(\.tunnel) == [nil, "example.com:80"])
    }

    @Test func removedResponsesAreNotSent() async throws {
        let server = try LoopbackServer()
        server.answer("/a", with: .text("A"))
        server.enqueue(.text("queued"))
        server.removeResponses()
        #expect(try await answer(server, get("/a")).hasPrefix("HTTP/1.1 404"))
    }
}

extension String {
    /// Returns the text after the first occurrence of a separator.
    func components(behind separator: String) -> String {
        guard let range = firstRange(of: separator) else { return "" }
        return String(self[range.upperBound...])
    }
}

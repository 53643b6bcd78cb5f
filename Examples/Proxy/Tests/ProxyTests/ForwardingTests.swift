import Foundation
import LoopbackServer
import Tango
import Testing

@testable import Proxy

@Suite(.timeLimit(.minutes(2))) struct ForwardingTests {
    let upstream: Upstream

    init() throws {
        upstream = try Upstream()
    }

    @Test func messagesArePassedOnInBothDirections() async throws {
        upstream.server.answer("/orders", method: "POST") { request in
            .bytes(request.body, type: "text/plain", status: 201).header("Location", "/orders/7")
                .header("X-Hop", "1").header("Connection", "X-Hop")
        }
        let gateway = try upstream.gateway()
        let response = try await Visitor(gateway).send(
            .post, "/orders?draft=1&x=%2F", headers: ["X-Own": "a", "X-Mine": "b", "Connection": "X-Mine"],
            body: .string("coffee"))
        #expect(response.status == .created)
        #expect(response.text == "coffee")
        #expect(response.headers["Location"] == "/orders/7")
        #expect(response.headers["X-Hop"] == nil)
        let request = try await upstream.server.next()
        #expect(request.target == "/orders?draft=1&x=%2F")
        #expect(request.headers["X-Own"] == "a")
        #expect(request.headers["X-Mine"] == nil)
        #expect(request.headers.all("Host") == ["127.0.0.1:\(upstream.server.port)"])
        await gateway.shutdown()
    }

    @Test func errorsAndRedirectsOfTheServerArePassedOn() async throws {
        upstream.server.answer("/missing", with: .text("no such page", status: 404))
        upstream.server.answer("/old", with: .redirect(to: "/new"))
        let gateway = try upstream.gateway()
        let missing = try await Visitor(gateway).get("/missing")
        #expect(missing.status == .notFound)
        #expect(missing.text == "no such page")
        let old = try await Visitor(gateway).get("/old")
        #expect(old.status == .found)
        #expect(old.headers["Location"] == "/new")
        #expect(upstream.server.requests.map(\.path) == ["/missing", "/old"])
        await gateway.shutdown()
    }

    @Test func postIsNotRepeated() async throws {
        upstream.server.answer(with: .text("busy", status: 503))
        let gateway = try upstream.gateway()
        #expect(try await Visitor(gateway).send(.post, "/orders", body: .string("1")).status == .serviceUnavailable)
        #expect(upstream.server.requestCount == 1)
        await gateway.shutdown()
    }

    @Test func serverThatIsGoneIsABadGateway() async throws {
        let gateway = try upstream.gateway()
        upstream.server.stop()
        let response = try await Visitor(gateway).get("/report")
        #expect(response.status == .badGateway)
        #expect(response.text == #"{"error": "cannotConnect"}"#)
        await gateway.shutdown()
    }

    @Test func cachedResponsesAreForTheirUser() async throws {
        upstream.server.answer("/me") { request in
            .text("for \(request.headers["Authorization"] ?? "all")").header("Cache-Control", "max-age=600")
        }
        let gateway = try upstream.gateway()
        let visitor = Visitor(gateway)
        let caches = [("ada", "miss"), ("ada", "hit"), ("bob", "miss"), ("ada", "hit")]
        for (user, cache) in caches {
            let response = try await visitor.get("/me", headers: ["Authorization": user])
            #expect(response.text == "for \(user)")
            #expect(response.headers["X-Cache"] == cache)
        }
        #expect(upstream.server.requestCount == 2)
        await gateway.shutdown()
    }

    @Test func cachedResponseSetsNoCookieOfAnotherClient() async throws {
        upstream.server.answer(with: .text("hello").header("Cache-Control", "max-age=600").header("Set-Cookie", "id=1"))
        let gateway = try upstream.gateway()
        let responses = [try await Visitor(gateway).get("/page"), try await Visitor(gateway).get("/page")]
        #expect(responses.map { $0.headers["Set-Cookie"] } == ["id=1", nil])
        #expect(responses.map { $0.headers["X-Cache"] } == ["miss", "hit"])
        await gateway.shutdown()
    }

    @Test func staleResponseIsRevalidated() async throws {
        upstream.server.enqueue(
            .text("v1").header("ETag", "\"1\"").header("Cache-Control", "max-age=0"),
            .status(304).header("ETag", "\"1\""))
        let gateway = try upstream.gateway()
        let responses = [try await Visitor(gateway).get("/page"), try await Visitor(gateway).get("/page")]
        #expect(responses.map(\.text) == ["v1", "v1"])
        #expect(responses.map { $0.headers["X-Cache"] } == ["miss", "revalidated"])
        #expect(upstream.server.requests.last?.headers["If-None-Match"] == "\"1\"")
        await gateway.shutdown()
    }
}

import Foundation
import LoopbackServer
import TangoAuth
import TangoPromise
import TangoRequest
import Testing

@testable import TestSupport

/// The examples of the doc comments on requests, calls and clients.
@Suite struct CallsSnippets {
    struct User: Codable, Sendable { let id: Int, name: String }

    final class GetUser: Request<User> {
        let id: Int
        init(id: Int) { self.id = id }
        override var endpoint: Endpoint { .get("/users/\(id)") }
    }

    struct Stamp: Interceptor {
        func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
            var request = request
            request.headers["X-Request-ID"] = "\(context.call.id)"
            return try await next(request)
        }
    }

    @Test func endpoints() {
        let search = Endpoint.get("/users", query: ["name": "Ada", "limit": 20])
        let create = Endpoint.post("/posts", body: .json(["title": "Hello"]))
        #expect(search.query.fields.map(\.name) == ["name", "limit"])
        #expect(create.body.contentType == "application/json")
    }

    @Test func sugar() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        server.answer("/users/1", with: .json(#"{"id": 1, "name": "Ada"}"#))
        let client = Client(baseURL: server.url) { $0.interceptors = [Stamp()] }
        let user: Promise<User> = client.request(.get("/users/1"))
        #expect(try await user.value.name == "Ada")
        #expect(server.requests.first?.headers["X-Request-ID"] != nil)
    }

    struct Bearer: Interceptor {
        let token: String
        func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
            guard context.allowsCredentials(for: request.url) else { return try await next(request) }
            var request = request
            request.headers["Authorization"] = "Bearer \(token)"
            return try await next(request)
        }
    }

    @Test func credentials() async throws {
        let (home, elsewhere) = (try LoopbackServer(), try LoopbackServer())
        let client = Client(baseURL: home.url) { $0.interceptors = [Bearer(token: "a")] }
        for server in [home, elsewhere] {
            server.answer(with: .text("x"))
            _ = try await client.get(server.url("/a").absoluteString, as: String.self).value
            #expect(server.requests.first?.headers["Authorization"] == (server === home ? "Bearer a" : nil))
            server.stop()
        }
    }

    @Test func defaults() async throws {
        /// Replaces `https://api.example.com`, which the comment names, by the server of the snippets.
        func URL(string: String) -> Foundation.URL! { Sample.server.url }
        Client.default = Client(baseURL: URL(string: "https://api.example.com")!)
        let name = GetUser(id: 1).promise.map { user in user.name }
        #expect(try await name.value == "Ada")
    }
}

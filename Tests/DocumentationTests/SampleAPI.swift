import Foundation
import LoopbackServer
import TangoPromise
import TangoRequest
import Testing

@testable import TestSupport

/// The API that the snippets of the documentation use: a server with users and posts, and requests for them.
protocol SampleAPI {}

enum Sample {
    /// The server of all snippets. Its responses are the same for each snippet.
    static let server: LoopbackServer = {
        guard let server = try? LoopbackServer() else { preconditionFailure("cannot start the loopback server") }
        server.answer("/users", with: .json(#"[{"id": 1, "name": "Ada"}, {"id": 2, "name": "Grace"}]"#))
        server.answer("/users/*") { request in
            guard let id = Int(request.path.dropFirst("/users/".count)), id < 100 else {
                return .json(#"{"reason": "There is no such user."}"#, status: 404)
            }
            let name = id == 1 ? "Ada" : "user \(id)"
            return .json(#"{"id": \#(id), "name": "\#(name)"}"#)
        }
        server.answer("/search", with: .json(#"{"code": 0, "data": {"items": [{"id": 1, "name": "Ada"}]}}"#))
        server.answer("/posts", with: .json(#"[{"id": 1, "title": "Hello"}, {"id": 2, "title": "Goodbye"}]"#))
        server.answer("/posts", method: "POST") { request in
            request.text.contains(#""title":"""#)
                ? .json(#"{"reason": "A post needs a title."}"#, status: 422)
                : .json(#"{"id": 3, "title": "Hello"}"#, status: 201)
        }
        // The gate stays closed, so this request never ends by itself.
        server.answer("/users/77", with: .status(204).held(by: Gate()))
        server.answer("/posts/1", method: "PUT", with: .json(#"{"id": 1, "title": "Hello"}"#))
        server.answer("/posts/*", method: "DELETE", with: .status(204))
        server.answer("/film", with: .generated(bytes: 300_000))
        server.answer("/echo") { request in
            .text("\(request.method) \(request.target)\n\(request.headers)\n\n\(request.text)")
        }
        server.answer("/old", with: .redirect(to: "/new", status: 300))
        return server
    }()

    static let client = Client(baseURL: server.url)

    struct User: Codable, Sendable, Equatable {
        let id: Int
        let name: String
    }

    struct Post: Codable, Sendable, Equatable {
        let id: Int
        let title: String
    }

    struct APIError: Codable, Sendable {
        let reason: String
    }

    final class GetUser: SampleRequest<User> {
        let id: Int
        init(id: Int) { self.id = id }
        override var endpoint: Endpoint { .get("/users/\(id)") }
    }

    final class GetPosts: SampleRequest<[Post]> {
        let author: Int
        init(author: Int) { self.author = author }
        override var endpoint: Endpoint { .get("/posts", query: ["author": author]) }
    }

    final class CreatePost: SampleRequest<Post> {
        let title: String
        init(title: String) { self.title = title }
        override var endpoint: Endpoint { .post("/posts", body: .json(["title": title])) }
        override var errorSerializer: ErrorSerializer? { .json(APIError.self) }
    }

    final class GetFilm: SampleRequest<Data> {
        override var endpoint: Endpoint { .get("/film") }
    }
}

/// A request to the server of the snippets. It does not use the default client of the process.
class SampleRequest<Output: Sendable>: Request<Output> {
    override var client: Client { Sample.client }
}

extension SampleAPI {
    typealias User = Sample.User
    typealias Post = Sample.Post
    typealias APIError = Sample.APIError
    typealias GetUser = Sample.GetUser
    typealias GetPosts = Sample.GetPosts
    typealias CreatePost = Sample.CreatePost
    typealias GetFilm = Sample.GetFilm

    var server: LoopbackServer { Sample.server }
    var client: Client { Sample.client }

    /// Returns the error of a request that is expected to fail.
    func thrown(
        sourceLocation: SourceLocation = #_sourceLocation, _ work: () async throws -> some Any
    ) async throws -> RequestError {
        let error = await #expect(throws: RequestError.self, sourceLocation: sourceLocation) { _ = try await work() }
        return try #require(error, sourceLocation: sourceLocation)
    }
}

import Foundation
import Tango
import TangoTesting
import Testing

@testable import TestSupport

/// The snippets of the article on tests, and those in comments.
@Suite(.timeLimit(.minutes(20)))
struct TestingSnippets {
    private let url = URL(string: "https://api.example.com")

    @Test func publishing() async throws {
        let mock = MockTransport()
        mock.stub(.get, "/users/{id}", .json(["id": 1, "name": "Ada"]))
        mock.stub(.get, "/posts?author=1", .json([["title": "First"]]))
        mock.stub(AddPost.self, value: Post(title: "Second"))
        let api = Client(baseURL: url) { $0.transport = mock }
        let text = try await Backend.$client.withValue(api) { try await Blog().publish("Second", by: 1) }
        #expect(text == "Ada has written 2 posts, the last one is Second")
        #expect(mock.requests.map(\.method) == [.get, .get, .post])
        try mock.verify()
    }

    @Test func responses() async throws {
        let mock = MockTransport()
        let imageFile = URL(fileURLWithPath: #filePath)
        mock.stub(.get, "/flaky", .status(503), .status(503), .json(["ok": true]))
        mock.stub(.get, "/image", .file(imageFile))
        mock.stub(.get, "/teapot", .text("short and stout").status(418).header("X-Pot", "1"))
        mock.stub(.get, "/echo/*", .made { request in .text(request.url.lastPathComponent) })
        mock.stub(.get, "/down", .failure(.connectionLost))
        mock.stub(.get, "/half", .portions(["half of"], thenFailing: .connectionLost))
        let api = Client(baseURL: url) {
            $0.transport = mock
            $0.retryPolicy = .never
        }
        var statuses: [HTTPStatus] = []
        for path in ["/flaky", "/flaky", "/flaky", "/flaky", "/teapot"] {
            let request = HTTPRequest(url: try #require(URL(string: "https://api.example.com\(path)")))
            statuses.append(try await api.send(request).status)
        }
        #expect(statuses == [503, 503, 200, 200, 418])
        #expect(try await api.get("/echo/a", as: String.self).value == "a")
        #expect(try await !api.get("/image", as: Data.self).value.isEmpty)
        for path in ["/down", "/half"] {
            #expect(try await failure { try await api.get(path, as: String.self).value }.code == .connectionLost)
        }
        try mock.verify()
    }

    @Test func time() async throws {
        let mock = MockTransport()
        let clock = ManualClock()
        let api = Client(baseURL: url) {
            $0.transport = mock
            $0.clock = clock
            $0.timeouts.idle = .seconds(30)
        }
        mock.stub(.get, "/slow", .text("late").delayed(.seconds(40)))
        let text = api.get("/slow", as: String.self)
        await clock.sleepers()
        clock.advance(by: .seconds(30))
        await #expect(throws: RequestError.self) { try await text.value }
    }

    @Test func preview() async throws {
        let mock = MockTransport()
        mock.stub(GetUser.self, value: User(id: 1, name: "Ada"))
        let preview = Client(baseURL: url) { $0.transport = mock }
        #expect(try await Backend.$client.withValue(preview) { try await GetUser(id: 1).promise.value.name } == "Ada")
    }

    @Test func snippetsInComments() async throws {
        do {
            let mock = MockTransport()
            mock.stub(.get, "/users/{id}", .json(["id": 1, "name": "Ada"]))
            let api = Client(baseURL: url) { $0.transport = mock }
            #expect(try await api.get("/users/1", as: User.self).value.name == "Ada")
        }
        let mock = MockTransport()
        mock.stub(.get, "/users/{id}", .json(["id": 1, "name": "Ada"]))
        mock.stub(.get, "/slow", .text("late").delayed(.seconds(2)))
        mock.stub(.get, "/down", .failure(.connectionLost))
        #expect(mock.requests.isEmpty)
    }
}

/// The application of the article.
extension TestingSnippets {
    struct User: Codable, Sendable {
        var id: Int
        var name: String
    }

    struct Post: Codable, Sendable {
        var title: String
    }

    final class GetUser: Request<User> {
        let id: Int
        init(id: Int) { self.id = id }
        override var client: Client { Backend.client }
        override var endpoint: Endpoint { .get("/users/\(id)") }
    }

    final class GetPosts: Request<[Post]> {
        let author: Int
        init(author: Int) { self.author = author }
        override var client: Client { Backend.client }
        override var endpoint: Endpoint { .get("/posts", query: ["author": author]) }
    }

    final class AddPost: Request<Post> {
        let title: String
        init(title: String) { self.title = title }
        override var client: Client { Backend.client }
        override var endpoint: Endpoint { .post("/posts", body: .json(["title": title])) }
    }

    struct Blog {
        func publish(_ title: String, by id: Int) async throws -> String {
            let user = try await GetUser(id: id).promise.value
            let posts = try await GetPosts(author: user.id).promise.value
            let post = try await AddPost(title: title).promise.value
            return "\(user.name) has written \(posts.count + 1) posts, the last one is \(post.title)"
        }
    }

    enum Backend {
        @TaskLocal static var client = Client(baseURL: URL(string: "https://api.example.com"))
    }
}

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
        mock.stub(GetUser.self, value: User(id: 1, name: "Ada"))
        mock.stub(.get, "/posts?author=1", .json([["title": "First"]]))
        mock.stub(.post, "/posts", .json(["title": "Second (2)"]))
        let backend = Backend(client: Client(baseURL: url) { $0.transport = mock })
        #expect(try await Blog(backend: backend).publish("Second", by: 1).value == "published Second (2)")
        #expect(mock.requests.map(\.method) == [.get, .get, .post])
        try mock.verify()
    }

    /// Compiled, but not run, because the guard is for the whole process.
    private func someServersAreAllowed() async throws {
        func run() async throws {}
        RealServers.refuse(except: "staging.example.com", "*.test.example.com")
        try await RealServers.refuse {
            try await run()  // Only while this function runs.
        }
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
        #expect(try await Backend(client: preview).user(1).promise.value.name == "Ada")
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

/// The application of the article, and a suite of its tests.
extension TestingSnippets {
    /// It has no tests here, because the guard is for the whole process.
    @Suite struct BlogTests {
        init() { RealServers.refuse() }
    }

    struct User: Codable, Sendable {
        var id: Int
        var name: String
    }

    struct Post: Codable, Sendable {
        var title: String
    }

    struct Backend: Sendable {
        let client: Client

        func user(_ id: Int) -> GetUser { GetUser(id, client) }
        func posts(by author: Int) -> Promise<[Post]> { client.get("/posts", query: ["author": author]) }
        func addPost(_ title: String) -> Promise<Post> { client.post("/posts", body: .json(["title": title])) }
    }

    class BackendRequest<Output: Sendable>: Request<Output> {
        private let sender: Client
        init(_ client: Client) { sender = client }
        override var client: Client { sender }
    }

    final class GetUser: BackendRequest<User> {
        let id: Int
        init(_ id: Int, _ client: Client) {
            self.id = id
            super.init(client)
        }
        override var endpoint: Endpoint { .get("/users/\(id)") }
    }

    struct Blog: Sendable {
        let backend: Backend

        func publish(_ title: String, by id: Int) -> Promise<String> {
            backend.user(id).promise
                .flatMap { user in backend.posts(by: user.id) }
                .flatMap { posts in backend.addPost("\(title) (\(posts.count + 1))") }
                .map { post in "published \(post.title)" }
        }
    }
}

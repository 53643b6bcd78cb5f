import Foundation
import LoopbackServer
import Tango
import Testing

/// The code of the README that is about requests.
@Suite struct ReadmeSnippets: SampleAPI {
    @Test func firstScreen() async throws {
        /// What the README calls `https://api.example.com` is the server of the snippets here.
        func URL(string: String) -> Foundation.URL? { server.url }
        let printed = Facts()
        @Sendable func print(_ value: some Any) { printed.note("\(value)") }

        struct User: Codable, Sendable { let id: Int, name: String }

        final class GetUser: Request<User> {
            let id: Int
            init(id: Int) { self.id = id }
            override var endpoint: Endpoint { .get("/users/\(id)") }
        }

        Client.default = Client(baseURL: URL(string: "https://api.example.com"))

        GetUser(id: 1).promise
            .next { user in GetPosts(author: user.id).promise }  // a promise is followed, a value is passed on
            .next { posts in print("\(posts.count) posts") }
            .catch { error in print("\(error)") }

        let users = Promise.all((1...9).map { id in GetUser(id: id).promise })  // nine at once, in this order
        print(try await users.value.map(\.name))
        #expect(try await users.value.map(\.id) == Array(1...9))
        await printed.reached("2 posts")
        #expect(printed.all.contains { $0.hasPrefix(#"["Ada", "user 2", "#) })
    }

    @Test func sugar() async throws {
        Client.default = Client(baseURL: server.url)
        let client = Client.default
        let user: Promise<User> = Client.get("/users/1")
        let saved = Client.put("/posts/1", body: .json(["title": "Hello"]), as: Post.self)
        let gone = client.request(.delete("/posts/1"), as: Void.self)
        #expect(try await user.value.name == "Ada")
        #expect(try await saved.value.id == 1)
        try await gone.value
    }

    @Test func sending() async throws {
        let shown = Facts()
        @Sendable func show(_ text: String) { shown.note(text) }
        let search = SearchUsers()
        search.name = "Ada"
        let found = try await search.promise.value  // however often it is read, one request is sent

        let call = GetUser(id: 1).start { user, call in
            show("\(user.name), after \(call.metrics?.finished ?? .zero)")
        } failure: { error, call in
            show("\(error)")
        }
        #expect(found == [User(id: 1, name: "Ada")])
        #expect(try await call.value.name == "Ada")
        await shown.reached { $0.first?.hasPrefix("Ada, after 0.") == true }
        #expect(try await CreatePost(title: "Hello").promise.value.id == 3)
    }

    @Test func watching() async throws {
        let shown = Facts()
        @Sendable func show(_ text: String) { shown.note(text) }
        let film = GetFilm().start()
        for await progress in film.progress { show("\(progress.received) of \(progress.receivedTotal ?? 0)") }
        film.retry().cancel()
        #expect(try await film.value.count == 300_000)
        #expect(shown.all.last == "300000 of 300000")
    }

    @Test func settings() {
        let client = Client(baseURL: URL(string: "https://api.example.com/v1")) {
            $0.headers = ["Accept-Language": "en"]
            $0.timeouts = Timeouts(connect: .seconds(5), idle: .seconds(30))
            $0.validation = .status(200..<300) + .business(code: "code", success: [0], message: "text")
            $0.errorSerializer = .json(APIError.self)
            $0.responseLimit = 10 << 20
            $0.interceptors = [Stamp()]
        }
        #expect(client.configuration.headers["accept-language"] == "en")
        #expect(client.configuration.timeouts == Timeouts(connect: .seconds(5), idle: .seconds(30)))
        #expect(client.configuration.responseLimit == 10_485_760)
        #expect((try? client.configuration.validation.check(HTTPResponse(#"{"code": 1}"#))) == nil)
    }

    @Test func headersOfABaseClass() {
        class SignedRequest<Output: Sendable>: Request<Output> {
            var token: String?
            override var headers: Headers { ["Authorization": token.map { "Bearer \($0)" }] }  // nil: no such header
        }

        final class Export: SignedRequest<Data> {
            override var endpoint: Endpoint { .get("/export") }
            override var headers: Headers { super.headers + ["X-Extra": "1"] }
        }
        let export = Export()
        #expect(export.headers == ["X-Extra": "1"])
        export.token = "7"
        #expect(export.headers == ["Authorization": "Bearer 7", "X-Extra": "1"])
    }

    @Test func bodies() {
        let picture = URL(fileURLWithPath: "/nowhere/Ada.heic")
        let film = URL(fileURLWithPath: "/nowhere/film.mp4")
        let portions = AsyncStream<Data> { $0.finish() }
        let post = Post(id: 1, title: "Hello")
        let fields = Body.json(["title": "Hello", "tags": ["new", 1], "author": ["id": 1, "name": nil]])
        let whole = Body.json(post)  // any Encodable value, and in a literal too: .json(["post": post, "draft": true])
        let form = Body.form(["name": "Ada", "tags": ["a", "b"]])
        let upload = Body.multipart([.text("Ada", named: "name"), .file(picture, named: "picture")])  // streamed
        let file = Body.file(film, contentType: "video/mp4")
        let stream = Body.stream(portions)  // at the pace of the server
        #expect(
            [fields, whole, form, upload, file, stream].map(\.isReplayable) == [true, true, true, true, true, false])
    }

    @Test func errors() async throws {
        let shown = Facts()
        @Sendable func show(_ text: String) { shown.note(text) }
        do {
            show(try await CreatePost(title: "").promise.value.title)
        } catch let error as RequestError where error.code == .badStatus {
            show(error.payload(as: APIError.self)?.reason ?? error.message)
        }
        #expect(shown.all == ["The server refused the request."])
    }

    @Test func rawDoor() async throws {
        let url = server.url("/film")
        var count = 0
        let response = try await client.send(HTTPRequest(url: url), delivery: .stream)
        for try await portion in response.stream { count += portion.count }
        #expect(count == 300_000)
    }

    @Test func testing() async throws {
        let server = try LoopbackServer()
        server.answer("/users/1", with: .json(#"{"id": 1, "name": "Ada"}"#).failing(.reset, at: .responseBody))
        let error = try await thrown { try await client.send(HTTPRequest(url: server.url("/users/1"))) }
        #expect(error.code == .connectionLost)
    }

    private typealias SearchUsers = ReadmeRequests.SearchUsers
    private typealias CreatePost = ReadmeRequests.CreatePost

    struct Stamp: Interceptor {
        func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
            var request = request
            request.headers["X-Request-ID"] = "\(context.call.id)"
            return try await next(request)
        }
    }
}

/// The declarations of the README, which speak to the server of the snippets.
private enum ReadmeRequests {
    typealias Request<Output: Sendable> = SampleRequest<Output>
    typealias User = Sample.User
    typealias Post = Sample.Post

    final class SearchUsers: Request<[User]> {
        var name: String?
        var sort = ["name", "id"]
        override var endpoint: Endpoint { .get("/search", query: ["name": name, "sort": sort, "limit": 20]) }
        override var serializer: Serializer<[User]> { .json(at: "data.items") }
        override var timeouts: Timeouts { Timeouts(total: .seconds(10)) }
    }

    final class CreatePost: Request<Post> {
        let title: String
        init(title: String) { self.title = title }
        override var endpoint: Endpoint { .post("/posts", body: .json(["title": title, "tags": ["new"]])) }
    }
}

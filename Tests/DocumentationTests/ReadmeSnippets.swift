import Foundation
import LoopbackServer
import Tango
import TangoAuth
import TangoTesting
import TangoTransfers
import Testing

@testable import TestSupport

private var folder: URL { ReadmeSnippets.place ?? URL(fileURLWithPath: "/nowhere") }

/// The code of the README.
@Suite struct ReadmeSnippets: SampleAPI {
    typealias Download = Cookbook.Download

    /// The folder of the downloads of a test.
    @TaskLocal static var place: URL?

    @Test func firstScreen() async throws {
        /// Replaces the public server that the README names by the server of the snippets.
        func URL(string: String) -> Foundation.URL? { server.url }
        let printed = Facts()
        @Sendable func print(_ value: some Any) { printed.note("\(value)") }

        struct User: Codable, Sendable { let id: Int, name: String }
        struct Post: Codable, Sendable { let id: Int, title: String }

        final class GetUser: Request<User> {
            let id: Int
            init(id: Int) { self.id = id }
            override var endpoint: Endpoint { .get("/users/\(id)") }
        }

        Client.default = Client(baseURL: URL(string: "https://jsonplaceholder.typicode.com"))

        let titles = GetUser(id: 1).promise
            .next { user in Client.get("/posts", query: ["userId": user.id], as: [Post].self) }
            .map { posts in posts.map(\.title) }
            .catch { error in print("\(error)") }

        print(try await titles.value)
        #expect(printed.all == [#"["Hello", "Goodbye"]"#])
    }

    @Test func severalAtOnce() async throws {
        let pair = Promise.all(GetUser(id: 1).promise, GetUser(id: 2).promise)  // a typed tuple
        let many = Promise.all(1...50, limit: 8) { id in GetUser(id: id).promise }
        #expect(try await pair.value.0.name == "Ada")
        #expect(try await many.value.map(\.id) == Array(1...50))
    }

    @Test @MainActor func cancellingWithTheScreen() async throws {
        let screen = Screen()
        GetUser(id: 2).start(for: screen, on: .main) { screen, user in
            screen.title = user.name
        } failure: { screen, error in
            screen.title = error.localizedDescription
        }
        while screen.title.isEmpty { await Task.yield() }
        #expect(screen.title == "user 2")
    }

    @Test func retrying() async throws {
        let server = try LoopbackServer()
        server.answer("/users/1", with: .json(#"{"id": 1, "name": "Ada"}"#))
        server.enqueue(.status(503))
        let url = server.url
        let api = Client(baseURL: url) { $0.retryPolicy = .exponential(attempts: 5) }
        #expect(try await api.get("/users/1", as: User.self).value.name == "Ada")
        #expect(server.requestCount == 2)
    }

    /// Compiled, but not run, because the store is that of the application.
    private func caching(_ url: URL) async throws {
        final class GetProfile: Request<User> {
            override var endpoint: Endpoint { .get("/profile") }
            override var cachePolicy: CachePolicy { .cacheElseNetwork(maxAge: .seconds(300)) }
        }

        Client.default = Client(baseURL: url, cache: .shared)  // in memory and on disk
        for try await user in GetProfile().values { print(user.name) }
    }

    @Test func errors() async throws {
        let shown = Facts()
        @Sendable func show(_ text: String) { shown.note(text) }
        do {
            show(try await GetUser(id: 404).promise.value.name)
        } catch let error as RequestError where error.response?.status == .notFound {
            show(error.message)  // "What you are looking for does not exist."
        }
        #expect(shown.all == ["What you are looking for does not exist."])
    }

    /// Compiled, but not run, because the store is that of the application.
    private func signingIn(_ url: URL, _ tokenURL: URL, _ file: URL, _ refreshToken: String) async throws {
        let oauth = OAuth2(tokenURL: tokenURL, client: OAuthClient(id: "app"), grant: .refreshToken(refreshToken))
        let session = TokenAuthenticator(oauth, store: .file(file))
        let api = Client(baseURL: url, cache: .shared) { $0.authenticator = session }
        try await api.signOut()  // ends tokens, cookies, calls and cached responses of this user
    }

    @Test func uploading() async throws {
        let server = try LoopbackServer()
        server.answer("/posts", method: "POST", with: .json(#"{"id": 3, "title": "Hello"}"#, status: 201))
        server.answer("/photos", method: "POST", with: .status(201))
        let files = ScratchFiles()
        let photo = try files.file("sea.jpg", Data("pixels".utf8))
        let api = Client(baseURL: server.url)
        let post: Promise<Post> = api.post("/posts", body: .json(["title": "Hello", "tags": ["new"]]))

        var form = Multipart()
        form.append("Holiday", named: "album")
        form.append(file: photo, named: "photo")
        let upload: Promise<Void> = api.post("/photos", body: .multipart(form))
        #expect(try await post.value.id == 3)
        try await upload.value
        #expect(server.requests.contains { $0.text.contains("pixels") })
    }

    @Test func downloading() async throws {
        let server = try LoopbackServer()
        server.answer("/film.mp4", with: Entity(bytes: 300_000))
        let shown = Facts()
        @Sendable func show(_ text: String) { shown.note(text) }
        let files = ScratchFiles()
        let api = Client(baseURL: server.url)
        try await Cookbook.$client.withValue(api) {
            try await Self.$place.withValue(files.url) {
                final class GetFilm: Download {
                    override var endpoint: Endpoint { .get("/film.mp4") }
                    override var destination: Destination { .folder(folder) }
                }

                let film = GetFilm().start()
                for await progress in film.progress { show("\(progress.received) of \(progress.receivedTotal ?? 0)") }
                let file = try await film.value
                #expect(file.url == files.url.appendingPathComponent("film.mp4"))
            }
        }
        #expect(shown.all.last == "300000 of 300000")
    }

    @Test func events() async throws {
        struct Update: Codable, Sendable { let id: Int }
        let server = try LoopbackServer()
        server.answer("/updates") { request in
            request.headers["Last-Event-ID"] == nil
                ? .events([.retry(milliseconds: 1), .event("{\"id\": 1}", id: "1")]) : .status(204)
        }
        let shown = Facts()
        @Sendable func show(_ text: String) { shown.note(text) }
        let api = Client(baseURL: server.url)
        for try await update in try await api.get("/updates", as: EventStream<Update>.self).value { show("\(update)") }
        #expect(shown.all == ["Update(id: 1)"])
    }

    @Test func mocking() async throws {
        let url = URL(string: "https://api.example.com")
        let mock = MockTransport()
        mock.stub(.get, "/users/{id}", .json(["id": 1, "name": "Ada"]))
        let api = Client(baseURL: url) { $0.transport = mock }
        #expect(try await api.get("/users/1", as: User.self).value.name == "Ada")
        try mock.verify()
    }

    @MainActor private final class Screen {
        var title = ""
    }
}

import Foundation
import LoopbackServer
import Tango
import TangoAuth
import Testing

@testable import TestSupport

/// The code of the README. "Pin keys" shares its code with the article on server trust.
@Suite struct ReadmeSnippets: SampleAPI {
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

    @Test func posting() async throws {
        Client.default = client
        let post: Promise<Post> = Client.post("/posts", body: .json(["title": "Hello", "tags": ["new"]]))
        #expect(try await post.value.id == 3)
    }

    @Test func severalAtOnce() async throws {
        let pair = Promise.all(GetUser(id: 1).promise, GetUser(id: 2).promise)  // a typed tuple
        let many = Promise.all(1...50, limit: 8) { id in GetUser(id: id).promise }
        #expect(try await pair.value.0.name == "Ada")
        #expect(try await many.value.map(\.id) == Array(1...50))
    }

    @Test @MainActor func awaitingAndCallingBack() async throws {
        let label = Label()
        let user = try await GetUser(id: 1).promise.value

        let call = GetUser(id: 2).start(for: label, on: .main) { label, user in
            label.text = user.name
        } failure: { label, error in
            label.text = "\(error)"
        }
        #expect(user.name == "Ada")
        #expect(try await call.value.id == 2)
        while label.text.isEmpty { await Task.yield() }
        #expect(label.text == "user 2")
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

    @Test func progress() async throws {
        let shown = Facts()
        @Sendable func show(_ text: String) { shown.note(text) }
        let film = GetFilm().start()
        for await progress in film.progress { show("\(progress.received) of \(progress.receivedTotal ?? 0)") }
        #expect(try await film.value.count == 300_000)
        #expect(shown.all.last == "300000 of 300000")
    }

    @Test func testing() async throws {
        let server = try LoopbackServer()
        server.answer("/users/1", with: .json(#"{"id": 1, "name": "Ada"}"#))
        let client = Client(baseURL: server.url)
        let ada = try await client.get("/users/1", as: User.self).value
        #expect(ada.name == "Ada")
        #expect(server.requests.map(\.path) == ["/users/1"])
    }

    @MainActor private final class Label {
        var text = ""
    }
}

import Foundation
import LoopbackServer
import TangoPromise
import TangoRequest
import Testing

@testable import TestSupport

/// The code of "Getting started".
@Suite struct GettingStartedSnippets: SampleAPI {
    @Test func declaring() async throws {
        /// Replaces `https://api.example.com`, which the article names, by the server of the snippets.
        func URL(string: String) -> Foundation.URL? { server.url }

        struct User: Codable, Sendable { let id: Int, name: String }

        final class GetUser: Request<User> {
            let id: Int
            init(id: Int) { self.id = id }
            override var endpoint: Endpoint { .get("/users/\(id)") }
        }
        Client.default = Client(baseURL: URL(string: "https://api.example.com"))
        #expect(try await GetUser(id: 1).promise.value.name == "Ada")
    }

    @Test func chaining() async throws {
        let shown = Facts()
        @Sendable func show(_ text: String) { shown.note(text) }
        GetUser(id: 1).promise
            .next { user in GetPosts(author: user.id).promise }
            .next { posts in show("\(posts.count) posts") }
            .catch { error in show("\(error)") }

        let both = Promise.all(GetUser(id: 1).promise, GetUser(id: 2).promise)  // a typed tuple
        let many = Promise.all((1...9).map { id in GetUser(id: id).promise })  // in this order
        await shown.reached("2 posts")
        #expect(try await both.value.0.id == 1)
        #expect(try await many.value.map(\.id) == Array(1...9))
    }

    @Test func overview() async throws {
        let shown = Facts()
        @Sendable func show(_ text: String) { shown.note(text) }
        let posts = GetUser(id: 1).promise
            .next { user in GetPosts(author: user.id).promise }
            .catch { error in show("\(error)") }
        #expect(try await posts.value.count == 2)
        #expect(shown.all == [])
    }

    @Test func awaiting() async throws {
        let user = try await GetUser(id: 1).promise.value
        #expect(user.name == "Ada")
    }

    @Test func callingBack() async throws {
        let shown = Facts()
        @Sendable func show(_ text: String) { shown.note(text) }
        let call = GetUser(id: 1).start { user, call in
            show(user.name)
        } failure: { error, call in
            show("\(error)")
        }
        #expect(try await call.value.name == "Ada")
        await shown.reached { $0 == ["Ada"] }
    }

    @Test func running() async throws {
        let request = GetUser(id: 1)
        let name = request.promise.map { user in user.name }
        let again = request.promise.next { user in user.id }  // the same run
        let fresh = request.start()  // another one
        #expect(try await name.value == "Ada")
        #expect(try await again.value == 1)
        #expect(try await fresh.value.id == 1)
    }

    @Test func serializing() async throws {
        typealias Request<Output: Sendable> = SampleRequest<Output>
        final class CountUsers: Request<Int> {
            override var endpoint: Endpoint { .get("/users") }
            override var serializer: Serializer<Int> { Serializer<[User]>.json.map { users in users.count } }
        }
        #expect(try await CountUsers().promise.value == 2)
    }

    @Test func withoutAClass() async throws {
        Client.default = client
        let ada: Promise<User> = Client.get("/users/1")
        let post = client.post("/posts", body: .json(["title": "Hello"]), as: Post.self)
        let posts = client.request(.get("/posts", query: ["author": 1]), as: [Post].self)
        #expect(try await ada.value.name == "Ada")
        #expect(try await post.value.id == 3)
        #expect(try await posts.value.count == 2)
    }
}

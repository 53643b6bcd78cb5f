import LoopbackServer
import Tango
import TangoFoundation
import Testing

@testable import TestSupport

/// The snippets about `URLRequest` and `Progress`.
@Suite(.timeLimit(.minutes(20)))
struct FoundationSnippets {
    struct User: Codable, Sendable { let id: Int, name: String }

    final class GetUser: Request<User> {
        let id: Int
        init(id: Int) { self.id = id }
        override var client: Client { Client(baseURL: URL(string: "https://api.example.com")) }
        override var endpoint: Endpoint { .get("/users/\(id)") }
    }

    @Test func urlRequestIsSent() async throws {
        let site = try Site()
        site.server.answer("/users/1", with: .json(#"{"id": 1, "name": "Ada"}"#))
        let client = site.client()
        let urlRequest = URLRequest(url: try #require(URL(string: "/users/1")))
        let user = try await client.request(urlRequest, as: User.self).value
        #expect(user.name == "Ada")
    }

    @Test func messageOfAURLRequestIsSent() async throws {
        let site = try Site()
        site.server.answer("/users/1", with: .text("Ada"))
        let client = site.client()
        let urlRequest = URLRequest(url: site.server.url.appending(path: "users/1"))
        let response = try await client.send(HTTPRequest(urlRequest))
        #expect(response.body == Data("Ada".utf8))
    }

    @Test func requestIsPrepared() throws {
        let urlRequest = try GetUser(id: 1).urlRequest()
        #expect(urlRequest.url?.absoluteString == "https://api.example.com/users/1")
    }

    @Test func progressOfACallFinishes() async throws {
        let site = try Site()
        site.server.answer("/film", with: .text("film"))
        let client = site.client()
        func GetFilm() -> Fetch<String> { Fetch(.get("/film"), of: client) }
        let call = GetFilm().start()
        let progress = call.makeProgress(of: .download)
        #expect(try await call.value == "film")
        while !progress.isFinished { await Task.yield() }
    }

    @Test func progressIsAChild() async throws {
        let site = try Site()
        site.server.answer("/film", with: .text("film"))
        let client = site.client()
        func GetFilm() -> Fetch<String> { Fetch(.get("/film"), of: client) }
        let parent = Progress(totalUnitCount: 1)
        let call = GetFilm().start()
        let progress = call.makeProgress(of: .download, parent: parent, pendingUnitCount: 1)
        #expect(try await call.value == "film")
        while !parent.isFinished { await Task.yield() }
        #expect(progress.isFinished)
    }
}

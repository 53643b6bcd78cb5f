import Foundation
import LoopbackServer
import Tango
import TangoTesting
import Testing

@testable import TestSupport

/// The code of "Moving from Moya", sent to a server and to the mock of the article.
@Suite(.timeLimit(.minutes(20))) struct MovingFromMoyaSnippets {
    struct Repository: Codable, Sendable { let id: Int, name: String }

    class HubRequest<Output: Sendable>: Request<Output> {
        let hub: Client
        init(_ hub: Client) { self.hub = hub }
        override var client: Client { hub }
        override var headers: Headers { ["Accept": "application/vnd.hub+json"] }
    }

    final class ListRepositories: HubRequest<[Repository]> {
        var owner = "", page = 1
        override var endpoint: Endpoint {
            .get(PercentEncoding.path(segments: "users", owner, "repositories"), query: ["page": page])
        }
        override var serializer: Serializer<[Repository]> { .json(at: "items") }
    }

    final class CreateRepository: HubRequest<Repository> {
        var name = ""
        override var endpoint: Endpoint { .post("/repositories", body: .json(["name": name, "private": true])) }
        override var validation: Validation { .status([.created]) }
    }

    final class SendAvatar: HubRequest<Void> {
        var picture = Data()
        override var endpoint: Endpoint {
            .post("/avatar", body: .multipart([.data(picture, named: "avatar", fileName: "me.png", type: .png)]))
        }
    }

    struct Hub: Sendable {
        let client: Client

        init(url: URL, token: String, configure: (inout Client.Configuration) -> Void = { _ in }) {
            client = Client(baseURL: url) {
                $0.headers = .bearerAuthorization(token: token)
                $0.log = .line
                configure(&$0)
            }
        }

        func repositories(of owner: String) -> Promise<[Repository]> {
            let request = ListRepositories(client)
            request.owner = owner
            return request.promise
        }

        func create(_ name: String) -> Promise<Repository> {
            let request = CreateRepository(client)
            request.name = name
            return request.promise
        }
    }

    @Test func repositoriesAreListed() async throws {
        let mock = MockTransport()
        mock.stub(ListRepositories.self, .json(["items": [["id": 1, "name": "tango"]]]))
        let url = try #require(URL(string: "https://api.example.com"))
        let hub = Hub(url: url, token: "t1") { $0.transport = mock }
        #expect(try await hub.repositories(of: "ada").value.map(\.name) == ["tango"])
        #expect(mock.requests.first?.url.path == "/users/ada/repositories")
        try mock.verify()
    }

    @Test func realRequests() async throws {
        let server = try LoopbackServer()
        server.answer("/users/*", with: .json(#"{"items": [{"id": 1, "name": "tango"}]}"#))
        server.answer("/repositories", method: "POST", with: .json(#"{"id": 2, "name": "waltz"}"#, status: 201))
        server.answer("/avatar", method: "POST", with: .status(204))
        let hub = Hub(url: server.url, token: "t1") { $0.log = .off }

        #expect(try await hub.repositories(of: "ada/b").value.map(\.id) == [1])
        let list = try #require(server.requests.last)
        #expect(list.target == "/users/ada%2Fb/repositories?page=1")
        #expect(list.headers["Accept"] == "application/vnd.hub+json")
        #expect(list.headers["Authorization"] == "Bearer t1")

        #expect(try await hub.create("waltz").value.name == "waltz")
        #expect(server.requests.last?.text == #"{"name":"waltz","private":true}"#)

        let avatar = SendAvatar(hub.client)
        avatar.picture = Data("png".utf8)
        try await avatar.promise.value
        #expect(server.requests.last?.text.contains(#"name="avatar"; filename="me.png""#) == true)

        server.enqueue(.json("{}"))
        let error = try await failure { try await hub.create("polka").value }
        #expect(error.code == .badStatus)
        server.stop()
    }
}

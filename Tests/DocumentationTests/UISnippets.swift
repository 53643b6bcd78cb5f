import Foundation
import Tango
import TangoTesting
import TangoUI
import Testing

@testable import TestSupport

/// The snippets about models for views.
@Suite(.timeLimit(.minutes(20)))
@MainActor struct UISnippets {
    struct User: Codable, Sendable { let id: Int, name: String }

    final class GetUser: Request<User> {
        let id: Int
        let sender: Client
        init(_ id: Int, _ client: Client) {
            self.id = id
            sender = client
        }
        override var client: Client { sender }
        override var endpoint: Endpoint { .get("/users/\(id)") }
    }

    final class GetProfile: Request<User> {
        override var client: Client { UISnippets.shared }
        override var endpoint: Endpoint { .get("/profile") }
    }

    nonisolated static let shared = Client(baseURL: URL(string: "https://api.example.com")) {
        let mock = MockTransport()
        mock.stub(.get, "/profile", .json(["id": 1, "name": "Ada"]))
        $0.transport = mock
    }

    @Test func modelIsRefreshed() async {
        let profile = RequestModel { GetProfile() }
        profile.refresh()
        #expect(profile.isLoading)
        await profile.load()
        #expect(profile.value?.name == "Ada")
    }

    @Test func modelIsTested() async {
        let mock = MockTransport()
        mock.stub(GetUser.self, value: User(id: 1, name: "Ada"))
        let client = Client(baseURL: URL(string: "https://api.example.com")) { $0.transport = mock }
        let profile = RequestModel { GetUser(1, client) }
        await profile.load()
        #expect(profile.value?.name == "Ada")
    }
}

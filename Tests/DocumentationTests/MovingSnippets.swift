import Foundation
import LoopbackServer
import TangoPromise
import TangoRequest
import Testing

@testable import TestSupport

/// The code of "Moving requests to Tango".
@Suite struct MovingSnippets: SampleAPI {
    @MainActor final class ProfileModel {
        var name = ""
        var failure: String?

        func load() {
            GetUser(id: 1).start(on: .main) { user in
                self.name = user.name
            } failure: { error in
                self.failure = "\(error)"
            }
        }
    }

    @Test @MainActor func models() async throws {
        let model = ProfileModel()
        model.load()
        while model.name.isEmpty { await Task.yield() }
        #expect(model.name == "Ada")
        #expect(model.failure == nil)
    }

    @Test func targets() async throws {
        typealias Request<Output: Sendable> = SampleRequest<Output>

        final class ShowUser: Request<User> {
            let id: Int
            init(id: Int) { self.id = id }
            override var endpoint: Endpoint { .get("/users/\(id)") }
            override var validation: Validation { .status([.ok]) }
        }
        #expect(try await ShowUser(id: 1).promise.value.name == "Ada")
    }

    @Test func chains() async throws {
        let shown = Facts()
        @Sendable func show(_ text: String) { shown.note(text) }
        let server = server
        let before = server.requests.count { $0.target == "/posts?author=1" }
        GetUser(id: 1).promise
            .next { user in GetPosts(author: user.id).promise }
            .map { posts in posts.count }
            .catch { error in show("\(error)") }
        while server.requests.count(where: { $0.target == "/posts?author=1" }) == before { await Task.yield() }
        #expect(shown.all == [])
    }
}

import Foundation
import LoopbackServer
import TangoPromise
import TangoRequest
import Testing

/// The code of "Moving requests to Tango".
@Suite struct MovingSnippets: SampleAPI {
    @MainActor final class ProfileModel {
        var name = ""
        var failure: String?

        func load() {
            GetUser(id: 1).start(on: .main) { user, _ in
                self.name = user.name
            } failure: { error, _ in
                self.failure = "\(error)"
            }
        }
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
        GetUser(id: 1).promise
            .next { user in GetPosts(author: user.id).promise }
            .next { posts in posts.count }
            .catch { error in show("\(error)") }
    }
}

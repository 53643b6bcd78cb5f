import Foundation
import Tango
import Testing

/// The code of "Adding promises to async/await".
@Suite struct MovingFromAsyncAwaitSnippets: SampleAPI {
    private struct AsyncAPI: Sendable {
        func user(_ id: Int) async throws -> User { try await GetUser(id: id).promise.value }
    }

    private let api = AsyncAPI()

    private func loadUser(_ id: Int) -> Promise<User> { GetUser(id: id).promise }

    @Test func bothWays() async throws {
        func profile(_ id: Int) async throws -> String {
            let user = try await loadUser(id).value
            return user.name
        }

        let name = Promise { try await api.user(1).name }
        #expect(try await name.value == "Ada")
        #expect(try await profile(1) == "Ada")
    }
}

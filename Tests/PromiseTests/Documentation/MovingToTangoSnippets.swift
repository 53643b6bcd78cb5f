import Foundation
import TangoPromise
import Testing

/// The code of the article on moving from other libraries.
@Suite struct MovingToTangoSnippets: Samples {
    @Test @MainActor func fromPromiseKit() async throws {
        let chain: Promise<Void> =
            loadUser(1)
            .next { user in loadPosts(by: user) }
            .map { posts in posts.count }
            .next(on: .main) { count in label.text = "\(count) posts" }
            .finally(on: .main) { spinner.stop() }
            .catch(on: .main) { error in label.text = "\(error)" }
        try await chain.value
        #expect(label.text == "2 posts")
    }

    @Test @MainActor func fromGooglePromises() async throws {
        let chain: Promise<Void> =
            Promise.retry(4, backoff: .constant(.seconds(1))) { _ in loadUser(1) }
            .validate { user in user.age >= 18 }
            .timeout(.seconds(300))
            .next(on: .main) { user in label.text = user.name }
            .catch(on: .main) { error in label.text = "\(error)" }
            .finally(on: .main) { spinner.stop() }
        try await chain.value
        #expect(label.text == "user 1")
    }

    @Test func fromAsyncAwait() async throws {
        func profile(_ id: Int) async throws -> String {
            let user = try await loadUser(id).value
            return user.name
        }

        let name = Promise { try await api.user(1).name }
        #expect(try await name.value == "user 1")
    }

    private let label = Sample.Label()
}

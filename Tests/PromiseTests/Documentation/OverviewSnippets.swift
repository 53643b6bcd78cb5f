import Foundation
import TangoPromise
import Testing

/// The code of the landing page.
@Suite struct OverviewSnippets: Samples {
    @Test func overview() async throws {
        let posts = loadUser(1)
            .next { user in loadPosts(by: user) }
            .timeout(.seconds(300))
            .recover { _ in [] }
        #expect(try await posts.value.count == 2)
    }
}

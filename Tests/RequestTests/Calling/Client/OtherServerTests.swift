import Foundation
import LoopbackServer
import TangoCache
import TangoPromise
import TangoRequest
import Testing

@testable import TestSupport

/// Clients that are derived for another server.
@Suite(.timeLimit(.minutes(20)))
struct OtherServerTests {
    @Test func derivedClientHasTheSettingsAndAnotherBaseURL() async throws {
        let (production, staging) = (try LoopbackServer(), try LoopbackServer())
        staging.answer("/v2/a", with: .text("staging"))
        let store = MemoryStore()
        let client = Client(baseURL: production.url, cache: store) {
            $0.headers = ["X-Mark": "m", "Authorization": "Bearer t-1234567"]
        }
        let other = client.with(baseURL: staging.url("/v2"))
        #expect(try await other.get("/a", as: String.self).value == "staging")
        #expect(other.baseURL == staging.url("/v2"))
        #expect(other.cache as? MemoryStore === store)
        #expect(client.baseURL == production.url)
        #expect(staging.requests.first?.headers["X-Mark"] == "m")
        #expect(staging.requests.first?.headers["Authorization"] == "Bearer t-1234567")
        #expect(production.requests.isEmpty)
        #expect(!other.allowsCredentials(for: production.url))
        let none = client.with(baseURL: nil)
        #expect(try await failure { try await none.get("/a", as: String.self).value }.code == .noBaseURL)
    }
}

import Foundation
import TangoCache
import Testing

/// The snippets on stores that several processes share.
@Suite struct HistorySnippets {
    @Test func storesUnlessRemoved() async throws {
        let store = MemoryStore()
        func load() async throws -> CacheEntry { CacheEntry(body: Data("a".utf8)) }

        let moment = try await store.moment()
        let response = try await load()
        if let moment {
            try await store.set(response, for: "user", unlessRemovedSince: moment)
        }
        #expect(moment == nil)
    }
}

import Foundation
import TangoCache
import Testing

/// The snippets of the doc comments of the store on disk.
@Suite struct DiskStoreSnippets {
    private let place = ScratchFolder()
    private let data = Data("Ada".utf8)
    private var folder: URL { place.url }

    @Test func storing() async throws {
        let store = try DiskStore(directory: folder, limits: CacheLimits(bytes: 256 << 20, count: 100_000))
        try await store.set(CacheEntry(body: data, tags: ["users"]), for: "users/1")
        let entry = try await store.get("users/1")
        #expect(entry?.body == data)
        await store.close()
    }
}

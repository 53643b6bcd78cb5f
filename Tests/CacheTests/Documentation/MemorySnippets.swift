import Foundation
import TangoCache
import Testing

/// The snippets of the doc comments of the stores in memory.
@Suite struct MemorySnippets {
    private struct Image: Equatable {
        let width: Int
    }

    private let data = Data("bytes".utf8)
    private let image = Image(width: 40)

    @Test func storing() throws {
        let store = MemoryStore(limits: CacheLimits(bytes: 32 << 20, count: 1000))
        try store.put(CacheEntry(body: data, object: image), for: "logo")
        let logo = store.peek("logo")?.object as? Image
        #expect(logo == image)
    }

    @Test func relieving() throws {
        let store = MemoryStore()
        for number in 0..<10 { try store.put(CacheEntry(body: data), for: "\(number)") }
        store.relieve(.warning)
        #expect(store.statistics().count == 5)
    }

    @Test func tiers() async throws {
        let disk = MemoryStore()
        try disk.put(CacheEntry(body: data), for: "a")
        let store = TieredStore(memory: MemoryStore(limits: CacheLimits(bytes: 16 << 20)), over: disk)
        let entry = if let entry = store.peek("a") { entry } else { try await store.get("a") }
        #expect(entry?.body == data)
        #expect(store.peek("a")?.body == data)
    }
}

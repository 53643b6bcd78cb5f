import Foundation
import Testing

@testable import TangoCache

struct AttachingTests {
    private static func entry(_ text: String, at time: Double = 1) -> CacheEntry {
        CacheEntry(
            body: Data(text.utf8), metadata: ["a": "b"], written: Date(timeIntervalSinceReferenceDate: time))
    }

    @Test func anObjectIsStoredBesideItsEntry() throws {
        let store = MemoryStore()
        try store.put(Self.entry("1"), for: "a")
        let entry = try #require(store.peek("a"))
        store.attach("object", to: entry, under: "a")
        #expect(store.peek("a")?.object as? String == "object")
        #expect(store.peek("a")?.body == entry.body)
        #expect(store.statistics().count == 1)
    }

    @Test func anObjectOfAnotherEntryIsLeftOut() throws {
        let store = MemoryStore()
        try store.put(Self.entry("1"), for: "a")
        let entry = try #require(store.peek("a"))
        try store.put(Self.entry("1"), for: "a")
        store.attach("object", to: entry, under: "a")
        #expect(store.peek("a")?.object == nil)
        store.drop("a")
        store.attach("object", to: entry, under: "a")
        #expect(store.peek("a") == nil)
        store.attach("object", to: entry, under: "b")
        #expect(store.peek("b") == nil)
    }

    @Test func anObjectThatCostsMoreTakesItsRoom() throws {
        let store = MemoryStore(limits: CacheLimits(bytes: 100), cost: { $0.object == nil ? 10 : 60 })
        try store.put(Self.entry("1"), for: "a")
        try store.put(Self.entry("2"), for: "b")
        store.attach("object", to: try #require(store.peek("a")), under: "a")
        #expect(store.statistics().bytes == 70)
        store.attach("object", to: try #require(store.peek("b")), under: "b")
        #expect(store.statistics().bytes <= 100)
        #expect(store.peek("b")?.object != nil)
        let small = MemoryStore(limits: CacheLimits(bytes: 50), cost: { $0.object == nil ? 10 : 60 })
        try small.put(Self.entry("1"), for: "a")
        small.attach("object", to: try #require(small.peek("a")), under: "a")
        #expect(small.peek("a")?.object == nil)
        #expect(small.statistics().bytes == 10)
    }

    @Test func aPinnedEntryStaysPinned() throws {
        let store = MemoryStore(cost: { $0.object == nil ? 10 : 60 })
        var entry = Self.entry("1")
        entry.pinned = true
        try store.put(entry, for: "a")
        store.attach("object", to: try #require(store.peek("a")), under: "a")
        #expect(store.statistics().pinnedCount == 1)
        #expect(store.peek("a")?.pinned == true)
    }

    @Test func anObjectCanBeAttachedToAPromotedEntry() async throws {
        let behind = MemoryStore()
        try behind.put(Self.entry("1"), for: "a")
        let store = TieredStore(over: behind)
        let entry = try #require(try await store.get("a"))
        store.memory.attach("object", to: entry, under: "a")
        #expect(store.peek("a")?.object as? String == "object")
    }
}

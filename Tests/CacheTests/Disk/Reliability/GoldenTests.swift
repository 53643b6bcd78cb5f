import Foundation
import TangoCache
import Testing

@testable import CacheProcess

/// Stores that released versions have written must stay readable.
///
/// To create a store of the current format in an empty folder, run `swift run CacheProcess golden FOLDER`. Never create a
/// released one again.
@Suite struct GoldenTests {
    @Test(arguments: ["format-3"]) func everyEntryIsFound(_ format: String) async throws {
        let folder = ScratchFolder()
        let original = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Golden").appendingPathComponent(format)
        try FileManager.default.copyItem(at: original, to: folder.url)
        let events = Guarded<[CacheEvent]>([])
        let store = try DiskStore(
            directory: folder.url, version: 7,
            onEvent: { event in events.change { $0.append(event) } })
        for (key, entry) in Specimens.golden {
            let got = try #require(try await store.get(key), "\(key) is not found")
            #expect(got.body == entry.body)
            #expect(got.metadata == entry.metadata)
            #expect(got.tags == entry.tags)
            #expect(got.pinned == entry.pinned)
            #expect(got.expires == entry.expires)
            #expect(got.written == entry.written)
        }
        var listed: Set<CacheKey> = []
        for try await item in store.entries() { listed.insert(item.key) }
        #expect(listed == Set(Specimens.golden.map(\.key)))
        #expect(try await store.statistics().pinnedCount == 3)
        try await store.maintain()
        try StoreInspection.expectOrder(in: folder.url)
        #expect(try await store.remove(tag: "users") == 3)
        try await store.set(CacheEntry(body: Data([1])), for: "new")
        #expect(try await store.get("new") != nil)
        #expect(events.value.isEmpty, "\(events.value)")
        await store.close()
    }
}

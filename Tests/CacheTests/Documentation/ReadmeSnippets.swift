import CacheConformance
import Foundation
import TangoCache
import Testing

/// The code of the README on caches.
@Suite struct ReadmeSnippets {
    private let place = ScratchFolder()
    private let data = Data("Ada".utf8)
    private var folder: URL { place.url }

    @Test func storing() async throws {
        let store = try DiskStore(directory: folder, limits: CacheLimits(bytes: 256 << 20, age: .seconds(7 * 86_400)))

        var entry = CacheEntry(body: data, metadata: ["etag": "x1"], tags: ["users"])
        entry.expires = Date(timeIntervalSinceNow: 3600)
        try await store.set(entry, for: "users/1")

        let user = try await store.get("users/1")  // nil where there is none, or it has expired
        let removed = try await store.remove(tag: "users")
        #expect(user?.body == data)
        #expect(removed == 1)
        await store.close()
    }

    @Test func tiers() async throws {
        let disk = try DiskStore(directory: folder)
        try await disk.set(CacheEntry(body: data), for: "users/1")
        let store = TieredStore(memory: MemoryStore(limits: CacheLimits(bytes: 16 << 20)), over: disk)
        let user = if let user = store.peek("users/1") { user } else { try await store.get("users/1") }
        #expect(user?.body == data)
        #expect(store.peek("users/1")?.body == data)
        await disk.close()
    }

    @Test func streaming() async throws {
        let store = MemoryStore()
        let player = Player()
        let download = AsyncStream<Data> { stream in
            for _ in 0..<3 { stream.yield(Data(count: 1000)) }
            stream.finish()
        }
        let writer = try await store.writer(for: "film")
        for try await portion in download { try await writer.write(portion) }
        try await writer.commit()  // visible from here on

        if let reader = try await store.reader(for: "film") {
            for try await portion in reader { await player.play(portion) }
        }
        #expect(await player.played == 3000)
    }

    @Test func checking() async throws {
        try await CacheStoreConformance.check { MyStore() }
    }

    private typealias MyStore = DictionaryStore

    private actor Player {
        private(set) var played = 0

        func play(_ portion: Data) { played += portion.count }
    }
}

import Foundation
import TangoCache
import Testing

/// The snippets of the doc comments of keys, entries, limits, listings, readers and writers.
@Suite struct ValueSnippets {
    private let store = MemoryStore()

    @Test func keys() {
        let id = 7
        let page: CacheKey = "https://example.com/users/1"
        let thumbnail = CacheKey("thumbnail-\(id)")
        let digest = CacheKey(bytes: [0x00, 0xff, 0x10])
        #expect(page.text == "https://example.com/users/1")
        #expect(thumbnail.bytes == Array("thumbnail-7".utf8))
        #expect(digest.text == nil)
        #expect(digest.count == 3)
    }

    @Test func entry() async throws {
        var entry = CacheEntry(body: Data("hello".utf8), metadata: ["etag": "x"], tags: ["greetings"])
        entry.expires = Date(timeIntervalSinceNow: 60)
        try await store.set(entry, for: "hello")
        let found = try #require(try await store.get("hello"))
        #expect(found.body == Data("hello".utf8))
        #expect(found.metadata == ["etag": "x"])
        #expect(found.tags == ["greetings"])
        #expect(found.expires == entry.expires)
    }

    @Test func limits() {
        let limits = CacheLimits(bytes: 256 << 20, count: 100_000, age: .seconds(7 * 86_400))
        #expect(limits.bytes == 268_435_456)
        #expect(limits.count == 100_000)
        #expect(limits.age == .seconds(604_800))
    }

    @Test func listing() async throws {
        let lines = Guarded<[String]>([])
        let print = { @Sendable (key: CacheKey, size: Int) in lines.change { $0.append("\(key) \(size)") } }
        try await store.set(CacheEntry(body: Data(count: 1_000_001)), for: "large")
        try await store.set(CacheEntry(body: Data(count: 1_000_000)), for: "small")
        for try await item in store.entries() where item.size > 1_000_000 {
            print(item.key, item.size)
        }
        #expect(lines.value == ["large 1000001"])
    }

    @Test func readingAndWriting() async throws {
        let download = AsyncStream<Data> { stream in
            for number in 0..<3 { stream.yield(Data(repeating: UInt8(number), count: 1_000)) }
            stream.finish()
        }
        let writer = try await store.writer(
            for: "film", entry: CacheEntry(body: Data(), metadata: ["type": "video/mp4"]))
        for try await portion in download {
            try await writer.write(portion)
        }
        try await writer.commit()
        #expect(try await store.get("film")?.metadata == ["type": "video/mp4"])

        let sizes = Guarded<[Int]>([])
        let print = { @Sendable (size: Int) in sizes.change { $0.append(size) } }
        let player = Player()
        if let reader = try await store.reader(for: "film") {
            print(reader.item.size)
            for try await portion in reader {
                player.append(portion)
            }
        }
        #expect(sizes.value == [3_000])
        #expect(player.played.value == Data((0..<3).flatMap { Array(repeating: UInt8($0), count: 1_000) }))
    }

    private final class Player: Sendable {
        let played = Guarded(Data())

        func append(_ portion: Data) { played.change { $0 += portion } }
    }
}

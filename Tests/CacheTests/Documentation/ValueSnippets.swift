import Foundation
import TangoCache
import Testing

/// The snippets of the doc comments of keys, entries, readers and writers.
private func keys(id: Int) {
    let page: CacheKey = "https://example.com/users/1"
    let thumbnail = CacheKey("thumbnail-\(id)")
    let digest = CacheKey(bytes: [0x00, 0xff, 0x10])
    _ = (page, thumbnail, digest)
}

private func entry(in store: some CacheStore) async throws {
    var entry = CacheEntry(body: Data("hello".utf8), metadata: ["etag": "x"], tags: ["greetings"])
    entry.expires = Date(timeIntervalSinceNow: 60)
    try await store.set(entry, for: "hello")
}

private func limits() {
    let limits = CacheLimits(bytes: 256 << 20, count: 100_000, age: .seconds(7 * 86_400))
    _ = limits
}

private func listing(of store: some CacheStore) async throws {
    for try await item in store.entries() where item.size > 1_000_000 {
        print(item.key, item.size)
    }
}

private final class Player {
    func append(_ portion: Data) {}
}

private func reading(from store: some CacheStore, player: Player) async throws {
    if let reader = try await store.reader(for: "film") {
        print(reader.item.size)
        for try await portion in reader {
            player.append(portion)
        }
    }
}

private func writing(to store: some CacheStore, download: AsyncStream<Data>) async throws {
    let writer = try await store.writer(for: "film", entry: CacheEntry(body: Data(), metadata: ["type": "video/mp4"]))
    for try await portion in download {
        try await writer.write(portion)
    }
    try await writer.commit()
}

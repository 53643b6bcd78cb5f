import Foundation
import TangoCache

/// A few entries, one of each kind.
enum Specimens {
    static let small: [(key: CacheKey, entry: CacheEntry)] = [
        ("plain", CacheEntry(body: body(300, 1), written: date(100))),
        (
            "everything",
            CacheEntry(
                body: body(90, 2), metadata: ["etag": "x", "type": "text/plain"], expires: date(4e9),
                tags: ["users", "täg"], pinned: true, written: date(200.25))
        ),
        (CacheKey(bytes: [0xff, 0x00, 0x80]), CacheEntry(body: body(900, 3), tags: ["users"], written: date(300))),
        ("", CacheEntry(body: Data(), metadata: ["empty": ""], written: date(400))),
        ("file", CacheEntry(body: body(16_500, 5), metadata: ["large": "yes"], tags: ["users"], written: date(500))),
    ]

    static let golden: [(key: CacheKey, entry: CacheEntry)] =
        small + [
            (CacheKey("ключ ключей"), CacheEntry(body: body(3_000, 6), pinned: true, written: date(-600))),
            ("a/2", CacheEntry(body: body(700, 7), expires: date(5e9), pinned: true, written: date(700))),
        ]

    private static func body(_ count: Int, _ seed: UInt64) -> Data {
        var random = Pseudorandom(seed: seed)
        return Payload.bytes(count, &random)
    }

    private static func date(_ seconds: Double) -> Date { Date(timeIntervalSinceReferenceDate: seconds) }

    /// Fills a store and ends without closing it, so that some entries are in the database and some in its log.
    static func write(to folder: URL, isClosed: Bool) async throws {
        do {
            let store = try DiskStore(directory: folder)
            try await store.setMany(Array(small.dropLast(2)))
            await store.close()
        }
        let store = try DiskStore(directory: folder)
        for (key, entry) in small.suffix(2) { try await store.set(entry, for: key) }
        try await store.maintain()
        try await store.set(small[0].entry, for: small[0].key)
        if isClosed { await store.close() }
        Journal.say("done")
    }

    /// Creates a closed store in the format of this version, without the files of open stores.
    static func writeGolden(to folder: URL) async throws {
        let store = try DiskStore(directory: folder, version: 7)
        try await store.setMany(golden)
        try await store.maintain()
        await store.close()
        for name in ["lock", "instances", "temporary", "index/entries.sqlite-wal", "index/entries.sqlite-shm"] {
            try? FileManager.default.removeItem(at: folder.appendingPathComponent(name))
        }
        Journal.say("done")
    }
}

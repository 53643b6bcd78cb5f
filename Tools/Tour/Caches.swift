import Foundation
import Tango
import TangoMeasuring

/// Chapter four: stores in memory and on disk.
func caches() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tango-tour-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try memory()
    try await disk(in: folder)
    try await tiers(in: folder)
    try await streams(in: folder)
    try await surviving(in: folder.appendingPathComponent("killed"))
}

// MARK: Helpers

private struct Portrait: Sendable {
    let pixels: Int
}

private func text(_ entry: CacheEntry?) -> String {
    entry.map { String(decoding: $0.body, as: UTF8.self) } ?? "nothing"
}

private func bytes(_ text: String) -> Data {
    Data(text.utf8)
}

// MARK: The chapter

private func memory() throws {
    section("A store in memory returns entries without waiting, and stores decoded objects beside their bytes")
    let events = Record()
    let store = MemoryStore(limits: CacheLimits(count: 100), onEvent: { event in events.note("\(event)") })
    try store.put(CacheEntry(body: bytes("PNG"), object: Portrait(pixels: 1_000_000)), for: "ada")
    let portrait = store.peek("ada")?.object as? Portrait
    show("no decoding: \(portrait?.pixels ?? 0) pixels")

    // A scan: a thousand entries that are never read again.
    for number in 1...1000 { try store.put(CacheEntry(body: bytes("\(number)")), for: CacheKey("row-\(number)")) }
    show("after a scan of 1000 others, \(store.statistics().count) are left, and “ada” is \(text(store.peek("ada")))")
}

private func disk(in folder: URL) async throws {
    section("A store on disk: entries expire, have tags, and survive a restart")
    let place = folder.appendingPathComponent("users")
    let store = try DiskStore(directory: place, limits: CacheLimits(bytes: 10 << 20, age: .seconds(7 * 86_400)))
    try await store.set(CacheEntry(body: bytes("Ada"), metadata: ["etag": "x1"], tags: ["users"]), for: "users/1")
    try await store.set(CacheEntry(body: bytes("Grace"), tags: ["users"]), for: "users/2")
    try await store.set(CacheEntry(body: bytes("stale"), expires: Date(timeIntervalSinceNow: -1)), for: "news")
    show("users/1 is \(text(try await store.get("users/1"))), the news are \(text(try await store.get("news")))")
    await store.close()

    let reopened = try DiskStore(directory: place)
    let found = try await reopened.getMany(["users/1", "users/2", "users/3"])
    show("after a restart: \(found.map(text))")
    let removed = try await reopened.remove(tag: "users")
    show("removed by tag: \(removed); users/1 is \(text(try await reopened.get("users/1")))")
    await reopened.close()
}

private func tiers(in folder: URL) async throws {
    section("Memory in front of a disk: an entry that is read from the disk is also stored in memory")
    let disk = try DiskStore(directory: folder.appendingPathComponent("tiers"))
    try await disk.set(CacheEntry(body: bytes("from the disk")), for: "a")
    let store = TieredStore(over: disk)
    show("in memory: \(text(store.peek("a")))")
    show("read: \(text(try await store.get("a")))")
    show("in memory: \(text(store.peek("a")))")
    await disk.close()
}

private func streams(in folder: URL) async throws {
    section("A large body is written in portions, and is visible after the commit")
    let store = try DiskStore(directory: folder.appendingPathComponent("films"))
    let writer = try await store.writer(for: "film", entry: CacheEntry(body: Data(), metadata: ["type": "video/mp4"]))
    for scene in 1...8 { try await writer.write(Data(repeating: UInt8(scene), count: 250_000)) }
    show("before the commit there is \(text(try await store.get("film")))")
    try await writer.commit()

    guard let reader = try await store.reader(for: "film") else { return show("the film is gone") }
    var portions = 0
    for try await _ in reader { portions += 1 }
    show("after the commit, \(reader.item.size) bytes, read and verified in \(portions) portions")
    await store.close()
}

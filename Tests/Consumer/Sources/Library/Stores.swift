// What users write with caches, and with a store of their own in each of the shapes that such a store can have.
import CacheConformance
import Foundation
import Synchronization
import Tango

struct Thumbnail: Sendable { var width = 0 }

func stores(in folder: URL) async throws {
    let limits = CacheLimits(bytes: 256 << 20, count: 100_000, age: .seconds(7 * 86_400))
    let disk = try DiskStore(directory: folder, limits: limits, onEvent: { event in print(event) })
    let memory = MemoryStore(limits: .init(bytes: 32 << 20), cost: { entry in entry.body.count })
    let store = TieredStore(memory: memory, over: disk)

    try await store.set(CacheEntry(body: Data("hello".utf8), metadata: ["etag": "x"], tags: ["users"]), for: "users/1")
    try await store.setMany(["a": CacheEntry(body: Data()), "b": CacheEntry(body: Data(), pinned: true)])
    let id = 1
    let entry = try await store.get("users/\(id)")
    print(entry?.body.count ?? 0, entry?.metadata["etag"] ?? "none", entry?.written ?? .distantPast)
    for case let found? in try await store.getMany(["a", "b", CacheKey(bytes: [0, 255])]) { print(found) }

    try await store.remove(tag: "users")
    try await store.remove(prefix: "users/")
    let count = try await store.remove(olderThan: .seconds(60))
    print("removed \(count)")
    try await store.removeAll { progress in print(progress.fraction) }
    for try await item in store.entries() where item.size > 1000 { print(item.key, item.tags) }
    print(try await store.statistics().hitRatio ?? 0)

    do {
        try await store.set(CacheEntry(body: Data(count: 1 << 30)), for: "huge")
    } catch let error as CacheError where error.code == .tooLarge {
        print(error.message)
    }
    await disk.close()
}

func objects(in store: MemoryStore) throws {
    try store.put(CacheEntry(body: Data(), object: Thumbnail(width: 40)), for: "thumbnail")
    if let thumbnail = store.peek("thumbnail")?.object as? Thumbnail { print(thumbnail.width) }
    store.drop("thumbnail")
    store.relieve(.warning)
    print(store.statistics().count)
}

func streams(_ portions: AsyncStream<Data>, in store: some CacheStore) async throws {
    let writer = try await store.writer(for: "film")
    for await portion in portions { try await writer.write(portion) }
    try await writer.commit()
    guard let reader = try await store.reader(for: "film") else { return }
    for try await portion in reader { print(portion.count) }
}

/// A cache of a service: the store is a plug, and the application's own one unless it is told otherwise.
struct Service {
    var store: any CacheStore = .shared

    func page(_ name: String) async throws -> Data {
        if let entry = try await store.get("pages/\(name)") { return entry.body }
        let page = Data(name.utf8)
        try await store.set(CacheEntry(body: page, expires: Date(timeIntervalSinceNow: 60)), for: "pages/\(name)")
        return page
    }
}

func services() -> [Service] {
    [Service(), Service(store: MemoryStore()), Service(store: .shared), Service(store: ActorStore())]
}

actor ActorStore: CacheStore {
    private var kept: [CacheKey: CacheEntry] = [:]

    func get(_ key: CacheKey) -> CacheEntry? { kept[key] }
    func set(_ entry: CacheEntry, for key: CacheKey) { kept[key] = entry }
    func remove(_ key: CacheKey) { kept[key] = nil }
    func removeAll(progress: @escaping @Sendable (CacheProgress) -> Void) {
        kept = [:]
        progress(CacheProgress(removed: 0, total: 0))
    }
    nonisolated func entries() -> CacheEntries {
        CacheEntries { CacheEntries.Page(await self.items) }
    }
    private var items: [CacheItem] { kept.map { key, entry in CacheItem(key: key, entry: entry) } }
}

final class LockedStore: CacheStore {
    private let kept = Mutex<[CacheKey: CacheEntry]>([:])

    func get(_ key: CacheKey) async throws -> CacheEntry? { kept.withLock { $0[key] } }
    func set(_ entry: CacheEntry, for key: CacheKey) async throws { kept.withLock { $0[key] = entry } }
    func remove(_ key: CacheKey) async throws { kept.withLock { $0[key] = nil } }
    func removeAll(progress: @escaping @Sendable (CacheProgress) -> Void) async throws {
        kept.withLock { $0 = [:] }
        progress(CacheProgress(removed: 0, total: 0))
    }
    func entries() -> CacheEntries {
        CacheEntries(kept.withLock { $0.map { key, entry in CacheItem(key: key, entry: entry) } })
    }
}

func check() async throws {
    try await CacheStoreConformance.check { ActorStore() }
    try await CacheStoreConformance.check { LockedStore() }
}

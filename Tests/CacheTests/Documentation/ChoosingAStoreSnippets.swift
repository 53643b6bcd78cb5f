import Foundation
import Synchronization
import TangoCache
import Testing

/// The snippets of the article on choosing a store and of the overview, and their claims.
@Suite struct ChoosingAStoreSnippets {
    private let place = ScratchFolder()
    private let log = Log()
    private var folder: URL { place.url }

    @Test func firstScreen() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cache-\(UUID().uuidString)")
        let disk = try DiskStore(directory: folder, limits: CacheLimits(bytes: 64 << 20, age: .seconds(86_400)))
        let store = TieredStore(over: disk)  // memory in front of the disk

        var entry = CacheEntry(body: Data("hello".utf8), metadata: ["etag": "x"], tags: ["greetings"])
        entry.expires = Date(timeIntervalSinceNow: 60)
        try await store.set(entry, for: "hello")

        if let found = try await store.get("hello") {
            print(String(decoding: found.body, as: UTF8.self), found.metadata["etag"] ?? "")
        }
        let removed = try await store.remove(tag: "greetings")
        print("\(removed) removed, \(try await store.statistics().count) left")
        await disk.close()
        #expect(removed == 1)
        try FileManager.default.removeItem(at: folder)
    }

    @Test func opening() async throws {
        let store = try DiskStore(directory: folder, limits: CacheLimits(bytes: 512 << 20, count: 200_000))
        #expect(store.limits.age == nil)
        await store.close()
    }

    @Test func tiers() async throws {
        let week = Duration.seconds(7 * 86_400)
        let disk = try DiskStore(directory: folder, limits: CacheLimits(bytes: 256 << 20, age: week))
        let store = TieredStore(memory: MemoryStore(limits: CacheLimits(bytes: 16 << 20, age: week)), over: disk)
        try await store.set(CacheEntry(body: Data("a".utf8)), for: "a")
        #expect(store.peek("a") != nil)
        await disk.close()
    }

    @Test func staying() async throws {
        let store = MemoryStore()
        let logo = Data("logo".utf8)
        let news = Data("news".utf8)
        try await store.set(CacheEntry(body: logo, tags: ["brand"], pinned: true), for: "logo")
        try await store.set(CacheEntry(body: news, expires: Date(timeIntervalSinceNow: 300)), for: "news")
        try await store.remove(tag: "brand")  // pinned ones too
        #expect(try await store.get("logo") == nil)
        #expect(try await store.get("news") != nil)
    }

    @Test func objects() throws {
        let store = MemoryStore(
            limits: CacheLimits(bytes: 64 << 20),
            cost: { entry in entry.body.count + ((entry.object as? Image)?.bytes ?? 0) })
        try store.put(CacheEntry(body: Data(count: 10), object: Image(bytes: 1000)), for: "a")
        #expect(store.statistics().bytes == 1010)
    }

    @Test func many() async throws {
        let store = try DiskStore(directory: folder)
        let pages = (1...100).map { number in (key: CacheKey("pages/\(number)"), entry: CacheEntry(body: Data())) }
        try await store.setMany(pages)
        let found = try await store.getMany(["pages/1", "pages/2", "other"])  // in this order
        #expect(found.map { $0 != nil } == [true, true, false])
        try await store.remove(prefix: "pages/")
        #expect(try await store.statistics().count == 0)
        await store.close()
    }

    @Test func events() async throws {
        let store = try DiskStore(directory: folder) { event in
            switch event {
            case .reset, .outdated, .fellBack, .failed: log.error("\(event)")
            case .damaged, .evicted, .swept: log.debug("\(event)")
            }
        }
        try await store.set(CacheEntry(body: Data(count: 50_000)), for: "a")
        try FileManager.default.removeItem(at: folder.appendingPathComponent("bodies"))
        #expect(try await store.get("a") == nil)
        #expect(log.details.value.count == 1)
        #expect(log.details.value.first?.contains("the entry a was damaged") == true)
        #expect(log.errors.value.isEmpty)
        await store.close()
    }

    @Test func maintaining() async throws {
        let now = Guarded(Date())
        let store = try DiskStore(directory: folder, onEvent: { _ in }, now: { now.value })
        try await store.set(CacheEntry(body: Data("a".utf8), expires: now.value + 60), for: "a")
        now.change { $0 += 61 }
        #expect(try await store.statistics().count == 1)
        try await store.maintain()
        #expect(try await store.statistics().count == 0)
        await store.close()
    }

    @Test func errors() async throws {
        let store = MemoryStore(limits: CacheLimits(bytes: 1000))
        let entry = CacheEntry(body: Data(count: 10_000))
        do {
            try await store.set(entry, for: "film")
        } catch let error as CacheError where error.code == .tooLarge {
            log.debug(error.message)
        }
        #expect(log.details.value.count == 1)
        #expect(try await store.statistics().count == 0)
    }

    @Test func versions() async throws {
        let old = try DiskStore(directory: folder, version: 1)
        try await old.set(CacheEntry(body: Data("a".utf8)), for: "a")
        await old.close()
        let events = Mutex<[String]>([])
        let store = try DiskStore(
            directory: folder, version: 2,
            onEvent: { event in events.withLock { $0.append("\(event)") } })
        #expect(try await store.get("a") == nil)
        #expect(
            events.withLock { $0 } == [
                "the cache starts empty: version 1 of the application wrote it, this is version 2"
            ])
        await store.close()
    }

    @Test func theSizeOfAnEntryIsAsDocumented() async throws {
        let store = try DiskStore(directory: folder)
        let entry = CacheEntry(body: Data(count: 1000), metadata: ["etag": "x"], tags: ["users"])
        try await store.set(entry, for: "users/1")
        // The body, the key, the facts as the page on the format describes them, and 128 for overhead.
        #expect(try await store.statistics().bytes == 1000 + 7 + (1 + 5 + 2 + 1 + 6) + 128)
        await store.close()
    }

    @Test func anEntryThatFillsTheStoreGoesWhenAnotherComes() async throws {
        let store = try DiskStore(directory: folder, limits: CacheLimits(count: 10))
        for number in 1...50 { try await store.set(CacheEntry(body: Data()), for: CacheKey("\(number)")) }
        let count = try await store.statistics().count
        #expect(count <= 10)
        #expect(try await store.get("50") != nil)
        await store.close()
    }

    @Test func aStoreWhoseDatabaseIsRemovedBeginsAnew() async throws {
        let store = try DiskStore(directory: folder)
        try await store.set(CacheEntry(body: Data("old".utf8)), for: "a")
        try FileManager.default.removeItem(at: folder.appendingPathComponent("index"))
        try await store.set(CacheEntry(body: Data("new".utf8)), for: "b")
        #expect(try await store.get("a") == nil)
        #expect(try await store.get("b")?.body == Data("new".utf8))
        try await store.set(CacheEntry(body: Data(count: 20_000)), for: "c")
        #expect(try await store.get("c")?.body.count == 20_000)
        await store.close()
    }

    private struct Image: Sendable {
        let bytes: Int
    }

    private struct Log: Sendable {
        let errors = Guarded<[String]>([])
        let details = Guarded<[String]>([])

        func error(_ text: String) { errors.change { $0.append(text) } }
        func debug(_ text: String) { details.change { $0.append(text) } }
    }
}

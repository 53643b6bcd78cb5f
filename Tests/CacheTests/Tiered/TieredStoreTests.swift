import Foundation
import Testing

@testable import TangoCache

@Suite struct TieredStoreTests {
    private let backing = MemoryStore(limits: .unlimited)

    @Test func setStoresInBothTiers() async throws {
        let store = TieredStore(over: backing)
        try await store.set(CacheEntry(body: Data("1".utf8), object: 7), for: "a")
        #expect(store.peek("a")?.text == "1")
        #expect(store.peek("a")?.object as? Int == 7)
        #expect(backing.peek("a")?.text == "1")
        #expect(backing.peek("a")?.written == store.peek("a")?.written)
        try await store.remove("a")
        #expect(store.peek("a") == nil)
        #expect(backing.peek("a") == nil)
    }

    @Test func aHitInTheBackingStoreIsPromoted() async throws {
        let store = TieredStore(over: backing)
        try backing.put(CacheEntry("1"), for: "a")
        #expect(store.peek("a") == nil)
        #expect(try await store.get("a")?.text == "1")
        #expect(store.peek("a")?.text == "1")
        #expect(try await store.get("b") == nil)
        let statistics = try await store.statistics()
        #expect(statistics.count == 1)
        #expect(statistics.hits == 2)
        #expect(statistics.misses == 1)
    }

    @Test func manyAtOnceComeFromWhereTheyAre() async throws {
        let store = TieredStore(over: backing)
        try backing.put(CacheEntry("1"), for: "a")
        try await store.setMany([(key: "b", entry: CacheEntry("2")), (key: "c", entry: CacheEntry("3"))])
        let found = try await store.getMany(["c", "a", "x", "a", "b", "x"])
        #expect(found.map { $0?.text } == ["3", "1", nil, "1", "2", nil])
        #expect(store.peek("a")?.text == "1")
        try await store.removeMany(["a", "b"])
        #expect(try await store.listedKeys() == ["c"])
        #expect(store.peek("b") == nil)
        #expect(store.isAtRest)
    }

    @Test func aKeyThatIsSetTwiceInOneBatchIsTheSameInBothTiers() async throws {
        let store = TieredStore(over: backing)
        try await store.setMany([(key: "a", entry: CacheEntry("1")), (key: "a", entry: CacheEntry("2"))])
        #expect(store.peek("a") == nil)
        #expect(try await store.get("a")?.text == "2")
    }

    @Test func removalsCountAndClearBothTiers() async throws {
        let clock = HandClock()
        let backing = MemoryStore(now: { clock.now })
        let store = TieredStore(memory: MemoryStore(now: { clock.now }), over: backing)
        for index in 0..<12 {
            let tags: Set<String> = index < 3 ? ["t"] : []
            try await store.set(CacheEntry(body: Data(), tags: tags), for: CacheKey("\(index / 6)/\(index)"))
            clock.advance(by: 10)
        }
        store.memory.drop("0/1")
        #expect(try await store.remove(tag: "t") == 3)
        #expect(try await store.remove(olderThan: .seconds(85)) == 1)
        #expect(try await store.remove(prefix: "0/") == 2)
        #expect(store.memory.numbers.count == 6)
        #expect(backing.numbers.count == 6)
        let record = ProgressRecord()
        try await store.removeAll { record.note($0) }
        #expect(record.all.last == CacheProgress(removed: 6, total: 6))
        #expect(store.memory.numbers.count == 0)
        #expect(store.isAtRest)
    }

    @Test func anEntryTooLargeForMemoryIsReadFromTheBackingStore() async throws {
        let store = TieredStore(memory: MemoryStore(limits: CacheLimits(bytes: 1000)), over: backing)
        try await store.set(CacheEntry("small"), for: "a")
        try await store.set(CacheEntry(body: Data(count: 2000)), for: "a")
        #expect(store.peek("a") == nil)
        #expect(try await store.get("a")?.body.count == 2000)
        #expect(store.peek("a") == nil)
    }

    @Test func pinnedEntriesGiveWayInMemoryOnly() async throws {
        let store = TieredStore(memory: MemoryStore(limits: CacheLimits(count: 5)), over: backing)
        for index in 0..<20 { try await store.set(CacheEntry("\(index)", pinned: true), for: CacheKey("\(index)")) }
        #expect(store.memory.numbers.count == 5)
        for index in 0..<20 {
            let entry = try await store.get(CacheKey("\(index)"))
            #expect(entry?.text == "\(index)")
            #expect(entry?.pinned == true)
        }
    }

    @Test func aWriterIsVisibleOnceItHasCommitted() async throws {
        let store = TieredStore(over: backing)
        try await store.set(CacheEntry("old"), for: "a")
        let writer = try await store.writer(for: "a")
        try await writer.write(Data("new".utf8))
        #expect(store.peek("a")?.text == "old")
        try await writer.commit()
        #expect(store.peek("a") == nil)
        #expect(try await store.get("a")?.text == "new")
        var text = ""
        for try await portion in try #require(try await store.reader(for: "a")) {
            text += String(decoding: portion, as: UTF8.self)
        }
        #expect(text == "new")
        try await store.writer(for: "a").write(Data("never".utf8))
        #expect(try await store.get("a")?.text == "new")
        #expect(store.isAtRest)
    }
}

extension TieredStore {
    /// A Boolean value that indicates whether no operation between the tiers is in flight.
    var isAtRest: Bool { state.withLock { $0.inFlight.isEmpty } }
}

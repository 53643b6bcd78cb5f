import Foundation
import Testing

@testable import TangoCache

@Suite struct MemoryStoreTests {
    @Test(arguments: [0, 1, 14, 15, 100, 1_000_000])
    func aBodyComesBackByteForByte(count: Int) throws {
        let store = MemoryStore()
        let body = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try store.put(CacheEntry(body: body), for: "a")
        #expect(store.peek("a")?.body == body)
    }

    @Test(arguments: [0, 1, 15, 16, 87, 88, 89, 120, 10_000])
    func aKeyMayHaveAnyLength(count: Int) async throws {
        let store = MemoryStore()
        for other in max(0, count - 2)...count + 2 {
            try store.put(CacheEntry("\(other)"), for: CacheKey(String(repeating: "x", count: other)))
        }
        #expect(store.peek(CacheKey(String(repeating: "x", count: count)))?.text == "\(count)")
        #expect(store.peek(CacheKey(bytes: [UInt8](repeating: 0, count: count + 1))) == nil)
        #expect(try await store.listedKeys().contains(String(repeating: "x", count: count)))
    }

    @Test func keysOfAnyBytesAreListedAsTheyAre() async throws {
        let store = MemoryStore()
        let keys: [CacheKey] = ["", "a", "a\0b", CacheKey(bytes: [0xff, 0]), "\u{e9}", "e\u{301}"]
        for key in keys { try store.put(CacheEntry("\(key.bytes)"), for: key) }
        var listed: [CacheKey] = []
        for try await item in store.entries() { listed.append(item.key) }
        #expect(Set(listed) == Set(keys))
        #expect(listed.count == keys.count)
        for key in keys { #expect(store.peek(key)?.text == "\(key.bytes)") }
    }

    @Test func everythingThatAnEntryHasComesBack() throws {
        let clock = HandClock()
        let store = MemoryStore(now: { clock.now })
        let expires = clock.now.addingTimeInterval(9)
        let entry = CacheEntry(
            body: Data([1]), metadata: ["a": "b"], expires: expires, tags: ["t"], pinned: true, object: 42)
        try store.put(entry, for: "a")
        let found = try #require(store.peek("a"))
        #expect(found.metadata == ["a": "b"])
        #expect(found.expires == expires)
        #expect(found.tags == ["t"])
        #expect(found.pinned)
        #expect(found.object as? Int == 42)
        #expect(found.written == clock.now)
    }

    @Test func anEntryKeepsTheTimeItWasWritten() throws {
        let store = MemoryStore()
        let written = Date(timeIntervalSinceReferenceDate: 7)
        try store.put(CacheEntry(body: Data(), written: written), for: "a")
        #expect(store.peek("a")?.written == written)
    }

    @Test func removesByKeyTagPrefixAndAll() async throws {
        let store = MemoryStore()
        for index in 0..<10 {
            let tags: Set<String> = index.isMultiple(of: 2) ? ["even"] : ["odd"]
            let entry = CacheEntry(body: Data(), tags: tags, pinned: index < 4)
            try store.put(entry, for: CacheKey("\(index / 5)/\(index)"))
        }
        store.drop("0/0")
        store.drop("0/0")
        #expect(store.drop(tag: "even") == 4)
        #expect(store.drop(tag: "even") == 0)
        #expect(store.drop(prefix: "0/") == 2)
        #expect(try await store.listedKeys() == ["1/5", "1/7", "1/9"])
        #expect(store.dropAll() == 3)
        #expect(try await store.statistics().bytes == 0)
    }

    @Test func tagsAreComparedByTheirBytes() async throws {
        let store = MemoryStore()
        let (composed, decomposed) = ("\u{e9}", "e\u{301}")
        try store.put(CacheEntry(body: Data(), tags: [composed]), for: "a")
        try store.put(CacheEntry(body: Data(), tags: [decomposed]), for: "a")
        #expect(store.drop(tag: composed) == 0)
        #expect(store.drop(tag: decomposed) == 1)
    }

    @Test func removingEverythingSaysHowFarItHasCome() async throws {
        let store = MemoryStore()
        for index in 0..<3 { try store.put(CacheEntry(body: Data()), for: CacheKey("\(index)")) }
        let record = ProgressRecord()
        try await store.removeAll { record.note($0) }
        try await store.removeAll { record.note($0) }
        #expect(record.all == [CacheProgress(removed: 3, total: 3), CacheProgress(removed: 0, total: 0)])
    }

    @Test func theProtocolsFormsDoTheSame() async throws {
        let store = MemoryStore()
        let plug: any CacheStore = store
        try await plug.setMany([(key: "a", entry: CacheEntry("1")), (key: "b", entry: CacheEntry("2"))])
        #expect(try await plug.get("a")?.text == "1")
        #expect(try await plug.getMany(["b", "c", "a"]).map { $0?.text } == ["2", nil, "1"])
        try await plug.removeMany(["a", "c"])
        try await plug.set(CacheEntry(body: Data(), tags: ["t"]), for: "t")
        #expect(try await plug.remove(tag: "t") == 1)
        #expect(try await plug.remove(prefix: "b") == 1)
        #expect(try await plug.remove(olderThan: .zero) == 0)
        let statistics = try await plug.statistics()
        #expect(try await store.statistics() == statistics)
        #expect(statistics.hits == 3)
        #expect(statistics.misses == 1)
    }

    @Test func aLongListingMissesNothingThatStays() async throws {
        let store = MemoryStore(limits: .unlimited)
        for index in 0..<2000 { try store.put(CacheEntry(body: Data()), for: CacheKey("stays \(index)")) }
        var listed: [String: Int] = [:]
        var count = 0
        for try await item in store.entries() {
            listed[item.key.description, default: 0] += 1
            count += 1
            try store.put(CacheEntry("new"), for: CacheKey("stays \(count * 7 % 2000)"))
            store.drop(CacheKey("comes and goes \(count - 3)"))
            try store.put(CacheEntry(body: Data()), for: CacheKey("comes and goes \(count)"))
            if count > 10_000 { break }
        }
        #expect(listed.filter { $0.key.hasPrefix("stays") && $0.value == 1 }.count == 2000)
    }

    @Test func hundredsOfThousandsOfEntries() throws {
        let store = MemoryStore(limits: .unlimited)
        let count = 200_000
        for index in 0..<count {
            try store.put(CacheEntry(body: Data([UInt8(index % 256)])), for: CacheKey("\(index)"))
        }
        for index in 0..<count where store.peek(CacheKey("\(index)"))?.body.first != UInt8(index % 256) {
            Issue.record("entry \(index) is wrong")
        }
        #expect(store.statistics().count == count)
        #expect(store.peek(CacheKey("\(count)")) == nil)
        #expect(store.drop(prefix: "19") == 11_111)
    }
}

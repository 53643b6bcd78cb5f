import Foundation
import Testing

@testable import TangoCache

/// Expiry and age, with a clock that moves in both directions.
@Suite struct MemoryStoreClockTests {
    private let clock = HandClock()

    @Test func anEntryIsThereUntilItExpires() throws {
        let record = EventRecord()
        let store = MemoryStore(onEvent: record.note, now: { [clock] in clock.now })
        try store.put(CacheEntry(body: Data(), expires: clock.now.addingTimeInterval(10)), for: "a")
        clock.advance(by: 9.999)
        #expect(store.peek("a") != nil)
        clock.advance(by: 0.001)
        #expect(store.peek("a") == nil)
        #expect(store.numbers == CacheStatistics(hits: 1, misses: 1, evictions: 1))
        #expect(record.evictions.count == 1)
    }

    @Test func anEntryIsThereWhileItIsYoungEnough() throws {
        let store = MemoryStore(limits: CacheLimits(age: .seconds(10)), now: { [clock] in clock.now })
        try store.put(CacheEntry(""), for: "a")
        try store.put(CacheEntry("", pinned: true), for: "pinned")
        try store.put(CacheEntry(body: Data(), written: clock.now.addingTimeInterval(-8)), for: "older")
        clock.advance(by: 10)
        #expect(store.peek("a") != nil)
        #expect(store.peek("older") == nil)
        clock.advance(by: 0.001)
        #expect(store.peek("a") == nil)
        #expect(store.peek("pinned") != nil)
    }

    @Test func anEntryExpiresBeforeItsHighestAge() throws {
        let store = MemoryStore(limits: CacheLimits(age: .seconds(10)), now: { [clock] in clock.now })
        try store.put(CacheEntry(body: Data(), expires: clock.now.addingTimeInterval(5)), for: "a")
        clock.advance(by: 5)
        #expect(store.peek("a") == nil)
    }

    @Test func expiredEntriesAreNotListed() async throws {
        let store = MemoryStore(now: { [clock] in clock.now })
        try store.put(CacheEntry(body: Data(), expires: clock.now.addingTimeInterval(5)), for: "a")
        try store.put(CacheEntry(""), for: "b")
        clock.advance(by: 5)
        #expect(try await store.listedKeys() == ["b"])
        #expect(store.numbers.count == 2)
        store.trim(to: 0.999)
        #expect(store.numbers.count == 1)
        #expect(store.peek("b") != nil)
    }

    @Test func expiredEntriesAreRemovedBeforeOthers() throws {
        let store = MemoryStore(limits: CacheLimits(count: 10), now: { [clock] in clock.now })
        try store.put(CacheEntry(body: Data(), expires: clock.now.addingTimeInterval(5)), for: "over")
        for index in 0..<9 { try store.put(CacheEntry(""), for: CacheKey("\(index)")) }
        _ = store.peek("over")
        clock.advance(by: 5)
        try store.put(CacheEntry(""), for: "new")
        #expect(store.numbers.count == 10)
        #expect((0..<9).allSatisfy { store.peek(CacheKey("\($0)")) != nil })
    }

    @Test(arguments: [-1e12, -1000, 1000, 1e12, -.infinity, .infinity, .nan])
    func theClockMayJump(to time: Double) throws {
        let limits = CacheLimits(count: 5, age: .seconds(10))
        let store = MemoryStore(limits: limits, now: { [clock] in clock.now })
        for index in 0..<5 { try store.put(CacheEntry("\(index)"), for: CacheKey("\(index)")) }
        clock.seconds = time
        for index in 0..<20 { try store.put(CacheEntry("\(index)"), for: CacheKey("\(index)")) }
        store.trim(to: 0.9)
        store.drop(olderThan: .seconds(1))
        for index in 0..<20 {
            let entry = store.peek(CacheKey("\(index)"))
            #expect(entry == nil || entry?.text == "\(index)")
        }
        #expect(store.numbers.count <= 5)
    }

    @Test func anEntryFromTheFutureIsNotOld() throws {
        let store = MemoryStore(limits: CacheLimits(age: .seconds(10)), now: { [clock] in clock.now })
        try store.put(CacheEntry(""), for: "a")
        clock.advance(by: -1_000_000)
        #expect(store.peek("a") != nil)
        #expect(store.drop(olderThan: .zero) == 0)
    }

    @Test func olderEntriesAreRemoved() throws {
        let store = MemoryStore(now: { [clock] in clock.now })
        for index in 0..<10 {
            try store.put(CacheEntry("", pinned: index.isMultiple(of: 2)), for: CacheKey("\(index)"))
            clock.advance(by: 1)
        }
        #expect(store.drop(olderThan: .seconds(5)) == 5)
        #expect(store.peek("5") != nil)
        #expect(store.drop(olderThan: .seconds(-1)) == 5)
    }

    @Test func withoutAClockTheSystemsIsUsed() throws {
        let store = MemoryStore()
        try store.put(CacheEntry(body: Data(), expires: Date(timeIntervalSinceNow: 1000)), for: "later")
        try store.put(CacheEntry(body: Data(), expires: Date()), for: "now")
        try store.put(CacheEntry(body: Data(), expires: .distantPast), for: "before")
        #expect(store.peek("later") != nil)
        #expect(store.peek("now") == nil)
        #expect(store.peek("before") == nil)
    }
}

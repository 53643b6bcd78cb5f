import Foundation
import Testing

@testable import TangoCache

/// The order of eviction.
@Suite struct MemoryStoreEvictionTests {
    /// The steps on a store of ten entries, two of them in probation, and the remaining entries.
    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// "+a" stores, "?a" reads, "-a" removes, "!a" stores pinned.
        var steps: String
        var remaining: String
    }

    static let rows = [
        Row(testDescription: "none while there is room", steps: "+a +b +c +d +e", remaining: "abcde"),
        Row(
            testDescription: "the oldest unread entry",
            steps: "+a +b +c +d +e +f +g +h +i +j +k +l", remaining: "cdefghijkl"),
        Row(
            testDescription: "not who was read since",
            steps: "+a +b +c +d +e +f +g +h +i +j ?a ?c +k +l", remaining: "acefghijkl"),
        Row(
            testDescription: "not who was stored again since",
            steps: "+a +b +c +d +e +f +g +h +i +j +a +k", remaining: "acdefghijk"),
        Row(
            testDescription: "new entries, not those in use",
            steps: "+a +b +c +d +e +f +g +h +i +j ?a ?b ?c ?d ?e ?f ?g ?h +1 +2 +3 +4 +5 +6 +7",
            remaining: "67abcdefgh"),
        Row(
            testDescription: "not the pinned ones",
            steps: "!a !b +c +d +e +f +g +h +i +j +k +l +m", remaining: "abfghijklm"),
        Row(
            testDescription: "who was unpinned",
            steps: "!a +a +b +c +d +e +f +g +h +i +j +k +l", remaining: "adefghijkl"),
        Row(
            testDescription: "none after a removal",
            steps: "+a +b +c +d +e +f +g +h +i +j -d +k", remaining: "abcefghijk"),
    ]

    @Test(arguments: rows)
    func goesInOrder(_ row: Row) async throws {
        let record = EventRecord()
        let store = MemoryStore(limits: CacheLimits(count: 10), onEvent: record.note)
        for step in row.steps.split(separator: " ") {
            let key = CacheKey(String(step.dropFirst()))
            switch step.first {
            case "+": try store.put(CacheEntry(""), for: key)
            case "!": try store.put(CacheEntry("", pinned: true), for: key)
            case "?": _ = store.peek(key)
            default: store.drop(key)
            }
        }
        #expect(try await store.listedKeys().sorted().joined() == row.remaining)
        #expect(record.evictions.count == store.numbers.evictions)
    }

    @Test func entriesInUseSurviveAScan() throws {
        let store = MemoryStore(limits: CacheLimits(count: 100))
        let hot = (0..<70).map { CacheKey("hot \($0)") }
        for key in hot { try store.put(CacheEntry("hot"), for: key) }
        for key in hot { _ = store.peek(key) }
        for index in 0..<100_000 { try store.put(CacheEntry("cold"), for: CacheKey("cold \(index)")) }
        #expect(hot.allSatisfy { store.peek($0) != nil })
    }

    @Test func sharesCountByBytesToo() throws {
        let store = MemoryStore(limits: CacheLimits(bytes: 10_000), cost: { $0.body.count })
        for index in 0..<8 { try store.put(CacheEntry(body: Data(count: 1000)), for: CacheKey("hot \(index)")) }
        for index in 0..<8 { _ = store.peek(CacheKey("hot \(index)")) }
        for index in 0..<1000 {
            try store.put(CacheEntry(body: Data(count: 1 + index * 7 % 2000)), for: CacheKey("cold \(index)"))
            #expect(store.numbers.bytes <= 10_000)
        }
        #expect((0..<8).allSatisfy { store.peek(CacheKey("hot \($0)")) != nil })
    }

    @Test func aLargeEntryTakesTheRoomOfMany() throws {
        let record = EventRecord()
        let store = MemoryStore(limits: CacheLimits(bytes: 1000), onEvent: record.note, cost: { $0.body.count })
        for index in 0..<10 { try store.put(CacheEntry(body: Data(count: 100)), for: CacheKey("\(index)")) }
        try store.put(CacheEntry(body: Data(count: 1000)), for: "large")
        #expect(store.numbers.count == 1)
        #expect(record.evictions == (count: 10, bytes: 1000))
    }

    @Test func anEntryThatAloneIsTooLargeChangesNothing() throws {
        let store = MemoryStore(limits: CacheLimits(bytes: 1000), cost: { $0.body.count })
        try store.put(CacheEntry("old"), for: "a")
        let error = #expect(throws: CacheError.self) {
            try store.put(CacheEntry(body: Data(count: 1001)), for: "a")
        }
        #expect(error?.code == .tooLarge)
        #expect(store.peek("a")?.text == "old")
    }

    @Test func pinnedEntriesMayLeaveNoRoom() throws {
        let store = MemoryStore(limits: CacheLimits(count: 2))
        try store.put(CacheEntry("", pinned: true), for: "a")
        try store.put(CacheEntry("", pinned: true), for: "b")
        for pinned in [true, false] {
            let error = #expect(throws: CacheError.self) { try store.put(CacheEntry("", pinned: pinned), for: "c") }
            #expect(error?.code == .full)
        }
        try store.put(CacheEntry("new", pinned: true), for: "a")
        try store.put(CacheEntry("unpinned"), for: "b")
        try store.put(CacheEntry(""), for: "c")
        #expect(store.peek("a")?.text == "new")
        #expect(store.peek("b") == nil)
        #expect(store.numbers.pinnedCount == 1)
    }

    @Test func theSizeOfAnEntryIncludesAllItsParts() {
        let plain = CacheEntry(body: Data(count: 100)).charge(under: "0123456789")
        #expect(plain > 110)
        let metadata = CacheEntry(body: Data(count: 100), metadata: ["name": "value"]).charge(under: "0123456789")
        #expect(metadata >= plain + 9)
        #expect(CacheEntry(body: Data(count: 100), tags: ["tag"]).charge(under: "0123456789") >= plain + 3)
    }

    @Test(arguments: [Int.min, -1, 0, 1, .max])
    func anyCostIsTaken(cost: Int) throws {
        let store = MemoryStore(limits: .unlimited, cost: { _ in cost })
        for index in 0..<3 { try store.put(CacheEntry(""), for: CacheKey("\(index)")) }
        #expect(store.numbers.bytes >= 0)
        #expect(store.peek("2") != nil)
    }

    @Test(arguments: [(0.0, 1), (0.25, 25), (0.5, 50), (0.999, 99), (1, 100), (7, 100), (-1, 1), (.nan, 100)])
    func trimmingLeavesAShare(fraction: Double, remaining: Int) throws {
        let store = MemoryStore()
        try store.put(CacheEntry("", pinned: true), for: "pin00")
        for index in 100..<199 { try store.put(CacheEntry(""), for: CacheKey("k \(index)")) }
        store.trim(to: fraction)
        #expect(store.numbers.count == remaining)
        #expect(store.peek("pin00") != nil)
    }

    @Test(arguments: [(MemoryPressure.warning, 50), (.critical, 0)])
    func pressureIsRelieved(pressure: MemoryPressure, remaining: Int) throws {
        let store = MemoryStore()
        for index in 100..<200 { try store.put(CacheEntry(""), for: CacheKey("\(index)")) }
        for index in 100..<150 { _ = store.peek(CacheKey("\(index)")) }
        store.relieve(pressure)
        #expect(store.numbers.count == remaining)
        #expect((100..<100 + remaining).allSatisfy { store.peek(CacheKey("\($0)")) != nil })
        try store.put(CacheEntry("again"), for: "a")
        #expect(store.peek("a")?.text == "again")
    }
}

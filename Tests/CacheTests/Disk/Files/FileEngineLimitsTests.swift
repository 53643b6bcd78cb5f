import Foundation
import Testing

@testable import TangoCache

@Suite struct FileEngineLimitsTests {
    @Test func theEntriesNotUsedForTheLongestTimeGiveWay() async throws {
        let bench = try FileBench()
        let engine = try bench.engine(CacheLimits(count: 4))
        for key in ["a", "b", "c", "d"] as [CacheKey] {
            try await engine.set(bench.entry(10), for: key)
            bench.advance(by: 1_000)
        }
        _ = try engine.get("a")
        bench.advance(by: 1_000)
        try await engine.set(bench.entry(10), for: "e")
        #expect(try await engine.keys() == ["a", "c", "d", "e"])
        guard case .evicted(count: 1, bytes: 139) = bench.events.first else {
            Issue.record("\(bench.events)")
            return
        }
    }

    @Test func pinnedEntriesStay() async throws {
        let bench = try FileBench()
        let engine = try bench.engine(CacheLimits(count: 3))
        try await engine.set(bench.entry(1, pinned: true), for: "pinned")
        for number in 0..<20 {
            bench.advance(by: 10)
            try await engine.set(bench.entry(1), for: "\(number)")
        }
        #expect(try await engine.keys() == ["pinned", "18", "19"])
        let fill = try engine.fill()
        #expect((fill.pinnedCount, fill.pinnedBytes) == (1, 1 + 6 + 128))
    }

    @Test func anEntryWhoseModeWasLostIsPinnedStill() async throws {
        let bench = try FileBench()
        let engine = try bench.engine(CacheLimits(count: 2))
        try await engine.set(bench.entry(1, pinned: true), for: "pinned")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: bench.path("pinned"))
        for number in 0..<5 {
            bench.advance(by: 10)
            try await engine.set(bench.entry(1), for: "\(number)")
        }
        #expect(try engine.get("pinned") != nil)
        #expect(try engine.fill().count == 2)
    }

    @Test func aStoreWithOnlyPinnedEntriesIsFull() async throws {
        let bench = try FileBench()
        let engine = try bench.engine(CacheLimits(count: 3))
        try await engine.set(bench.entry(1), for: "free")
        try await engine.set(bench.entry(1, pinned: true), for: "b")
        try await engine.set(bench.entry(1, pinned: true), for: "c")
        try await engine.set(bench.entry(1, pinned: true), for: "d")
        let error = await #expect(throws: CacheError.self) { try await engine.set(bench.entry(1), for: "e") }
        #expect(error?.code == .full)
        #expect(try await engine.keys() == ["b", "c", "d"])
        #expect(bench.temporary == [])
        try await engine.set(bench.entry(2, pinned: true), for: "d")
        #expect(try engine.get("d")?.body.count == 2)
        try await engine.remove(["b"])
        try await engine.set(bench.entry(1), for: "e")
        #expect(try await engine.keys() == ["c", "d", "e"])
    }

    @Test func noEntryIsEvictedForAnEntryThatDoesNotFit() async throws {
        let bench = try FileBench()
        let engine = try bench.engine(CacheLimits(bytes: 10_000))
        try await engine.set(bench.entry(6_000, pinned: true), for: "pinned")
        try await engine.set(bench.entry(3_000), for: "free")
        let error = await #expect(throws: CacheError.self) { try await engine.set(bench.entry(5_000), for: "e") }
        #expect(error?.code == .full)
        #expect(try await engine.keys() == ["pinned", "free"])
        #expect(bench.events.isEmpty)
    }

    @Test func anEntryLargerThanTheLimitIsRefused() async throws {
        let bench = try FileBench()
        let engine = try bench.engine(CacheLimits(bytes: 1_000))
        try await engine.set(bench.entry(1_000 - 128 - 1), for: "a")
        let error = await #expect(throws: CacheError.self) {
            try await engine.set(bench.entry(1_000 - 128), for: "a")
        }
        #expect(error?.code == .tooLarge)
        #expect(try engine.get("a")?.body.count == 871)
        #expect(bench.temporary == [])
    }

    @Test(arguments: [1_000, 10_000, 200_000]) func theStoreIsNeverAboveItsLimits(_ bytes: Int) async throws {
        let bench = try FileBench()
        let limits = CacheLimits(bytes: bytes, count: 50)
        let engine = try bench.engine(limits)
        var random = SystemRandomNumberGenerator()
        for number in 0..<200 {
            let size = Int(random.next() % UInt64(bytes / 2))
            try await engine.set(bench.entry(size), for: "\(random.next() % 90)")
            if number % 5 == 0 {
                let fill = try engine.fill()
                #expect(limits.allow(count: fill.count, bytes: fill.bytes))
            }
        }
    }

    @Test func entriesOfAnotherProcessCountTowardsTheLimits() async throws {
        let bench = try FileBench()
        let limits = CacheLimits(count: 100)
        let engine = try bench.engine(limits)
        try await engine.set(bench.entry(1), for: "first")
        try await bench.engine().set((0..<300).map { (key: CacheKey("other \($0)"), entry: bench.entry(1)) })
        for number in 0..<300 {
            try await engine.set(bench.entry(1), for: "own \(number % 50)")
        }
        #expect(try engine.fill().count <= 100)
    }

    @Test func loweredLimitsAreMetByMaintenance() async throws {
        let bench = try FileBench()
        try await bench.engine().set((0..<100).map { (key: CacheKey("\($0)"), entry: bench.entry(1)) })
        let engine = try bench.engine(CacheLimits(count: 40))
        try await engine.maintain()
        #expect(try engine.fill().count == 38)
    }

    @Test(arguments: [1, 1_000, 65_000, 200_000]) func anEntryCountsForItsContentAndAnOverhead(
        _ size: Int
    ) async throws {
        let bench = try FileBench()
        let engine = try bench.engine()
        let entry = CacheEntry(body: Data(count: size), metadata: ["name": "value"])
        try await engine.set(entry, for: "key")
        #expect(try engine.fill().bytes == size + 3 + Facts.encode(entry).count + DiskFill.overhead)
    }

    @Test func pinnedEntriesDoNotAge() async throws {
        let bench = try FileBench()
        let engine = try bench.engine(CacheLimits(count: 3, age: .seconds(100)))
        var expiring = bench.entry(1, pinned: true)
        expiring.expires = bench.now + 200
        try await engine.set(bench.entry(1, pinned: true), for: "pinned")
        try await engine.set(expiring, for: "expiring")
        try await engine.set(bench.entry(1), for: "aged")
        bench.advance(by: 150)
        #expect(try engine.get("pinned") != nil)
        #expect(try engine.reader(for: "pinned") != nil)
        #expect(try engine.reader(for: "expiring") != nil)
        #expect(try engine.reader(for: "aged") == nil)
        #expect(try await engine.keys() == ["pinned", "expiring"])
        bench.advance(by: 50)
        try await engine.set(bench.entry(1), for: "a")
        try await engine.set(bench.entry(1), for: "b")
        #expect(try await engine.keys() == ["pinned", "b"])
        #expect(try engine.get("expiring") == nil)
        try await engine.maintain()
        #expect(try engine.get("pinned") != nil)
        #expect(try engine.fill().count == 2)
    }
}

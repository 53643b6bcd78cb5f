import Foundation
import TangoCache
import Testing

@Suite struct ClockTests {
    private let folder = ScratchFolder()
    private let time = Guarded(Date(timeIntervalSinceReferenceDate: 1_000_000))

    private func open(_ limits: CacheLimits = .unlimited) throws -> DiskStore {
        try DiskStore(
            directory: folder.url, limits: limits,
            onEvent: { event in if case .failed(let error) = event { Issue.record("\(error)") } },
            now: { [time] in time.value })
    }

    private func jump(_ seconds: Double) {
        time.change { $0 += seconds }
    }

    @Test func expiryFollowsTheClockBothWays() async throws {
        let store = try open()
        for size in [10, 30_000] {
            try await store.set(CacheEntry(body: Data(count: size), expires: time.value + 100), for: "a")
            jump(99)
            #expect(try await store.get("a") != nil)
            jump(1)
            #expect(try await store.get("a") == nil)
            #expect(try await store.reader(for: "a") == nil)
            jump(-50)
            #expect(try await store.get("a") != nil)
            jump(-100_000)
            #expect(try await store.get("a") != nil)
            try await store.maintain()
            #expect(try await store.get("a") != nil)
            jump(200_000)
            try await store.maintain()
            jump(-100_049)
            #expect(try await store.get("a") == nil)
        }
        #expect(try await store.statistics().count == 0)
        await store.close()
    }

    @Test func anEntryFromTheFutureIsNewAndNotOld() async throws {
        let store = try open(CacheLimits(bytes: 10_000, count: 50, age: .seconds(60)))
        try await store.set(CacheEntry(body: Data(count: 10), written: time.value + 1e6), for: "future")
        #expect(try await store.get("future") != nil)
        try await store.maintain()
        #expect(try await store.get("future") != nil)
        #expect(try await store.remove(olderThan: .zero) == 0)
        #expect(try await store.remove(olderThan: .seconds(-10)) == 0)
        for number in 0..<80 { try await store.set(CacheEntry(body: Data(count: 10)), for: "\(number)") }
        jump(61)
        #expect(try await store.get("79") == nil)
        try await store.maintain()
        #expect(try await store.statistics().count <= 1)
        await store.close()
    }

    @Test(arguments: [-1e15, -1e9, 1e9, 1e15])
    func anyJumpIsOutlived(_ seconds: Double) async throws {
        let limits = CacheLimits(bytes: 20_000, count: 30, age: .seconds(3_600))
        var store = try open(limits)
        for round in 0..<4 {
            for number in 0..<40 {
                try await store.set(CacheEntry(body: Data(count: 50)), for: "\(number)")
                #expect(try await store.get("\(number)") != nil)
            }
            try await store.set(CacheEntry(body: Data(count: 5), pinned: true), for: "pinned")
            jump(round.isMultiple(of: 2) ? seconds : -seconds)
            try await store.maintain()
            #expect(try await store.get("pinned") != nil)
            await store.close()
            store = try open(limits)
            #expect(try await store.get("pinned") != nil)
        }
        try await store.maintain()
        try StoreInspection.expectOrder(in: folder.url)
        await store.close()
    }
}

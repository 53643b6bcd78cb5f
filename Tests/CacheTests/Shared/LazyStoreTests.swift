import Foundation
import Testing

@testable import TangoCache

/// A store that cannot be opened for a while.
@Suite struct LazyStoreTests {
    /// A store whose opening fails until the disk is repaired, and a manual clock.
    private final class Bench: Sendable {
        let disk: any CacheStore
        let isBroken = Guarded(true)
        let opened = Guarded(0)
        let time = Guarded(0)
        let events = Guarded<[String]>([])
        let mayHoldEntries: Bool

        init(disk: any CacheStore = MemoryStore(), mayHoldEntries: Bool = true) {
            self.disk = disk
            self.mayHoldEntries = mayHoldEntries
        }

        var store: LazyStore {
            LazyStore(
                report: { event in self.events.change { $0.append("\(event)") } },
                mayHoldEntries: { self.mayHoldEntries }, now: { self.time.value }
            ) {
                self.opened.change { $0 += 1 }
                if self.isBroken.value { throw CacheError(.system, "too many files are open") }
                return self.disk
            }
        }

        /// Repairs the disk and makes the next attempt to open due.
        func mend() {
            isBroken.change { $0 = false }
            time.change { $0 += LazyStore.interval }
        }
    }

    private func entry(_ text: String, tags: Set<String> = []) -> CacheEntry {
        CacheEntry(body: Data(text.utf8), tags: tags)
    }

    private func text(_ entry: CacheEntry?) -> String? {
        entry.map { String(decoding: $0.body, as: UTF8.self) }
    }

    @Test func openingIsTriedAgainAndWhatWasStoredMeanwhileIsWritten() async throws {
        let bench = Bench()
        try await bench.disk.set(entry("old"), for: "a")
        try await bench.disk.set(entry("old"), for: "b")
        let store = bench.store
        try await store.set(entry("new"), for: "a")
        #expect(text(try await store.get("a")) == "new")
        #expect(try await store.get("b") == nil)
        #expect(bench.opened.value == 1)
        bench.mend()
        #expect(text(try await store.get("a")) == "new")
        #expect(text(try await store.get("b")) == "old")
        #expect(text(try await bench.disk.get("a")) == "new")
        #expect(bench.opened.value == 2)
        #expect(bench.events.value.count == 1)
        #expect(bench.events.value.first?.contains("too many files are open") == true)
    }

    @Test func openingIsNotTriedAtEachCall() async throws {
        let bench = Bench()
        let store = bench.store
        for _ in 0..<10 { _ = try await store.get("a") }
        #expect(bench.opened.value == 1)
        bench.time.change { $0 += LazyStore.interval - 1 }
        _ = try await store.get("a")
        #expect(bench.opened.value == 1)
        bench.time.change { $0 += 1 }
        for _ in 0..<10 { _ = try await store.get("a") }
        #expect(bench.opened.value == 2)
    }

    @Test func anEntryThatMemoryGaveUpDoesNotComeBackInAnOlderForm() async throws {
        let bench = Bench()
        try await bench.disk.set(entry("old"), for: "a")
        let store = bench.store
        var short = entry("new")
        short.expires = Date(timeIntervalSinceNow: -1)
        try await store.set(short, for: "a")
        bench.mend()
        #expect(try await store.get("a") == nil)
        #expect(try await bench.disk.get("a") == nil)
    }

    @Test func anEntryThatTheDiskRefusesReplacesTheOlderOne() async throws {
        let bench = Bench(disk: MemoryStore(limits: CacheLimits(bytes: 1_000)))
        try await bench.disk.set(entry("old"), for: "a")
        let store = bench.store
        try await store.set(CacheEntry(body: Data(count: 5_000)), for: "a")
        try await store.set(entry("new"), for: "b")
        bench.mend()
        #expect(try await store.get("a") == nil)
        #expect(text(try await store.get("b")) == "new")
    }

    @Test(arguments: 0..<6) func aRemovalThatDoesNotReachTheDiskThrows(_ way: Int) async throws {
        let bench = Bench()
        try await bench.disk.set(entry("old", tags: ["t"]), for: "a/1")
        let store = bench.store
        try await store.set(entry("new", tags: ["t"]), for: "a/2")
        let remove = {
            switch way {
            case 0: try await store.remove("a/2")
            case 1: try await store.removeMany(["a/1", "a/2"])
            case 2: try await store.removeAll()
            case 3: _ = try await store.remove(tag: "t")
            case 4: _ = try await store.remove(prefix: "a/")
            default: _ = try await store.remove(olderThan: .seconds(-60))
            }
        }
        let error = await #expect(throws: CacheError.self) { try await remove() }
        #expect(error?.code == .system)
        #expect(error?.message.hasPrefix("The entries on disk were not removed") == true)
        // An entry removed from memory stays removed.
        #expect(try await store.get("a/2") == nil)
        // The removal has retried opening, although the last attempt had just failed.
        #expect(bench.opened.value == 2)
        bench.mend()
        try await remove()
        #expect(try await store.get("a/2") == nil)
        if way > 0 { #expect(try await bench.disk.get("a/1") == nil) }
    }

    @Test func aRemovalFindsTheDiskMendedAtOnce() async throws {
        let bench = Bench()
        try await bench.disk.set(entry("old"), for: "a")
        let store = bench.store
        try await store.set(entry("new"), for: "b")
        bench.isBroken.change { $0 = false }
        try await store.removeAll()
        #expect(try await bench.disk.statistics().count == 0)
    }

    @Test func aRemovalOfAllThatThrewIsMadeOnceTheDiskIsMended() async throws {
        let bench = Bench()
        try await bench.disk.set(entry("old"), for: "a")
        let store = bench.store
        await #expect(throws: CacheError.self) { try await store.removeAll() }
        try await store.set(entry("new"), for: "b")
        bench.mend()
        #expect(try await store.get("a") == nil)
        #expect(text(try await store.get("b")) == "new")
    }

    @Test func aRemovalSucceedsInMemoryIfTheDiskHasNoEntries() async throws {
        let bench = Bench(mayHoldEntries: false)
        let store = bench.store
        try await store.set(entry("new"), for: "a")
        try await store.removeAll()
        #expect(try await store.get("a") == nil)
    }

    @Test func moreChangesThanAreRememberedEmptyTheDisk() async throws {
        let bench = Bench()
        try await bench.disk.set(entry("old"), for: "old")
        let store = bench.store
        let keys = (0...FallbackStore.most).map { CacheKey("\($0)") }
        try await store.setMany(keys.map { (key: $0, entry: CacheEntry(body: Data())) })
        bench.mend()
        #expect(try await store.get("old") == nil)
        #expect(try await store.get(keys[FallbackStore.most]) != nil)
    }

    @Test func aWriterThatCommitsAfterTheDiskOpensWritesToDisk() async throws {
        let bench = Bench()
        let store = bench.store
        let writer = try await store.writer(for: "film", entry: entry("half "))
        bench.mend()
        try await writer.write(Data("whole".utf8))
        try await writer.commit()
        #expect(text(try await bench.disk.get("film")) == "half whole")
    }

    /// After overlapping with the opening, the entry stored last under a key is there.
    @Test func changesThatOverlapWithTheOpeningAreNotLost() async throws {
        for round in 0..<30 {
            let bench = Bench()
            try await bench.disk.setMany((0..<8).map { (key: CacheKey("\($0)"), entry: entry("old")) })
            let store = bench.store
            _ = try await store.get("0")
            try await withThrowingTaskGroup { group in
                for task in 0..<8 {
                    group.addTask {
                        for turn in 0..<20 {
                            if task == 0, turn == round % 20 { bench.mend() }
                            try await store.set(entry("\(turn)"), for: CacheKey("\(task)"))
                            #expect(text(try await store.get(CacheKey("\(task)"))) == "\(turn)")
                        }
                    }
                }
                try await group.waitForAll()
            }
            for task in 0..<8 { #expect(text(try await bench.disk.get(CacheKey("\(task)"))) == "19") }
            #expect(bench.opened.value == 2)
        }
    }
}

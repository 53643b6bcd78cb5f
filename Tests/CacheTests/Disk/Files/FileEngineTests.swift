import Foundation
import Synchronization
import Testing

@testable import TangoCache

@Suite struct FileEngineTests {
    @Test(arguments: [0, 1, 2_000, 70_000, 300_000]) func storedEntriesAreReturned(_ size: Int) async throws {
        let bench = try FileBench()
        let engine = try bench.engine()
        var entry = bench.entry(size, tags: ["t"])
        entry.metadata = ["etag": "x"]
        entry.expires = bench.now + 60
        try await engine.set(entry, for: "a")
        #expect(EntryFileTests.same(try #require(try engine.get("a")), entry))
        #expect(EntryFileTests.same(try #require(try bench.engine().get("a")), entry))
        guard case .wouldBlock = engine.getAtOnce("a") else {
            Issue.record("a file was read on the thread of the caller")
            return
        }
    }

    @Test func anEmptyFolderHasNothing() async throws {
        let bench = try FileBench()
        let engine = try bench.engine(CacheLimits(bytes: 1, count: 1))
        #expect(try engine.get("a") == nil)
        #expect(try engine.reader(for: "a") == nil)
        #expect(try engine.getMany(["a", "b"]).allSatisfy { $0 == nil })
        #expect(try engine.fill() == DiskFill())
        #expect(try await engine.keys() == [])
        try await engine.remove(["a"])
        try await engine.maintain()
        #expect(try await engine.removeAll(.all, progress: { _ in }) == 0)
        #expect(bench.files == ["cache", "cache/entries"])
    }

    @Test func anEntryIsReplacedAndRemoved() async throws {
        let bench = try FileBench()
        let engine = try bench.engine()
        try await engine.set(bench.entry(10, pinned: true), for: "a")
        try await engine.set(bench.entry(20), for: "a")
        #expect(try engine.get("a")?.body.count == 20)
        #expect(try engine.fill().count == 1)
        #expect(try engine.fill().pinnedCount == 0)
        try await engine.remove(["a", "b"])
        #expect(try engine.get("a") == nil)
        #expect(bench.temporary == [])
    }

    @Test func manyComeBackInTheOrderOfTheirKeys() async throws {
        let bench = try FileBench()
        let engine = try bench.engine()
        try await engine.set((1...5).map { (key: CacheKey("\($0)"), entry: bench.entry($0)) })
        let found = try engine.getMany(["5", "none", "1", "5"])
        #expect(found.map { $0?.body.count } == [5, nil, 1, 5])
    }

    @Test func anotherKeyWithTheSameDigestIsAMiss() async throws {
        let bench = try FileBench()
        let engine = try bench.engine()
        try await engine.set(bench.entry(1), for: "a")
        // As with equal digests: the file of one key at the path of another.
        try FileManager.default.createDirectory(
            atPath: (bench.path("b") as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: bench.path("a"), toPath: bench.path("b"))
        #expect(try engine.get("b") == nil)
        #expect(try engine.reader(for: "b") == nil)
        #expect(bench.events.isEmpty)
        try await engine.set(bench.entry(2), for: "b")
        #expect(try engine.get("b")?.body.count == 2)
    }

    @Test func anExpiredEntryIsAMissAndIsRemoved() async throws {
        let bench = try FileBench()
        let engine = try bench.engine(CacheLimits(age: .seconds(100)))
        var entry = bench.entry(1)
        try await engine.set(entry, for: "old")
        entry.expires = bench.now + 10
        for key in ["got", "streamed", "left"] as [CacheKey] { try await engine.set(entry, for: key) }
        bench.advance(by: 9)
        #expect(try engine.get("got") != nil)
        bench.advance(by: 1)
        #expect(try engine.get("got") == nil)
        #expect(try engine.reader(for: "streamed") == nil)
        #expect(try await engine.keys() == ["old"])
        #expect(try engine.fill().count == 2)
        bench.advance(by: 91)
        #expect(try await engine.keys() == [])
        try await engine.maintain()
        #expect(try engine.fill().count == 0)
        #expect(bench.events.isEmpty)
    }

    @Test func aClockThatIsSetBackLosesNothing() async throws {
        let bench = try FileBench()
        let engine = try bench.engine(CacheLimits(count: 3, age: .seconds(100)))
        try await engine.set(bench.entry(1), for: "a")
        bench.advance(by: -100_000)
        #expect(try engine.get("a") != nil)
        for key in ["b", "c", "d"] as [CacheKey] {
            try await engine.set(bench.entry(1), for: key)
            bench.advance(by: 1)
        }
        try await engine.maintain()
        #expect(try engine.fill().count == 3)
        #expect(try engine.get("d") != nil)
    }

    @Test(arguments: [0, 7, 60, 70, 90, 5_000, 70_000]) func aDamagedFileIsAMissOnceAndIsReported(
        _ offset: Int
    ) async throws {
        let bench = try FileBench()
        let engine = try bench.engine()
        try await engine.set(bench.entry(80_000), for: "a key of some length")
        try bench.damage("a key of some length", at: offset)
        #expect(try engine.get("a key of some length") == nil)
        #expect(try engine.get("a key of some length") == nil)
        #expect(bench.events.count == 1)
        guard case .damaged(let key, _) = bench.events.first else {
            Issue.record("the damage was not reported")
            return
        }
        #expect(key == "a key of some length")
        #expect(try engine.fill().count == 0)
    }

    @Test func aFileThatHasTakenThePlaceOfADamagedOneStays() async throws {
        let bench = try FileBench()
        let engine = try bench.engine()
        try await engine.set(bench.entry(10), for: "a")
        try bench.damage("a", at: 70)
        guard case .damaged(_, let status) = try EntryFile.read(bench.path("a"), on: FileSystem()) else {
            Issue.record("the damage was not seen")
            return
        }
        try await bench.engine().set(bench.entry(11), for: "a")
        engine.discard(engine.folder.place(of: "a"), status, "a", "test")
        #expect(try engine.get("a")?.body.count == 11)
    }

    @Test func aHitSetsTheTimeOnlyIfItIsFarOff() async throws {
        let bench = try FileBench()
        let engine = try bench.engine()
        try await engine.set(bench.entry(1), for: "a")
        let files = FileSystem()
        func time() throws -> Double { try #require(try files.status(bench.path("a"))).modified }
        let first = try time()
        #expect(abs(first - bench.now.timeIntervalSinceReferenceDate) < 0.001)
        bench.advance(by: 200)
        _ = try engine.get("a")
        #expect(try time() == first)
        bench.advance(by: 200)
        _ = try engine.get("a")
        #expect(abs(try time() - first - 400) < 0.001)
        bench.advance(by: -10_000)
        _ = try engine.reader(for: "a")
        #expect(abs(try time() - first + 9_600) < 0.001)
    }

    @Test func aSelectionIsRemovedAndTheRestStays() async throws {
        let bench = try FileBench()
        let engine = try bench.engine(CacheLimits(count: 1_000))
        for number in 0..<250 {
            try await engine.set(
                bench.entry(number, pinned: number % 2 == 0, tags: number % 5 == 0 ? ["five"] : []),
                for: "\(number % 10)-\(number)")
            if number == 124 { bench.advance(by: 100) }
        }
        let told = Mutex<[CacheProgress]>([])
        @Sendable func tell(_ progress: CacheProgress) { told.withLock { $0.append(progress) } }
        #expect(try await engine.removeAll(.tagged("five"), progress: tell) == 50)
        #expect(told.withLock { $0.last } == CacheProgress(removed: 50, total: 50))
        #expect(try await engine.removeAll(.prefixed("3-"), progress: tell) == 25)
        #expect(try await engine.removeAll(.olderThan(bench.now - 50), progress: tell) == 87)
        #expect(try await engine.keys().count == 250 - 50 - 25 - 87)
        #expect(try await engine.removeAll(.tagged("none"), progress: tell) == 0)
        told.withLock { $0 = [] }
        #expect(try await engine.removeAll(.all, progress: tell) == 88)
        #expect(told.withLock { $0.map(\.fraction).last } == 1)
        #expect(try engine.fill() == DiskFill())
    }

    @Test func progressIsToldOnTheWay() async throws {
        let bench = try FileBench()
        let engine = try bench.engine()
        try await engine.set((0..<250).map { (key: CacheKey("\($0)"), entry: bench.entry(0)) })
        let told = Mutex<[Int]>([])
        _ = try await engine.removeAll(.all) { progress in told.withLock { $0.append(progress.removed) } }
        #expect(told.withLock { $0 } == [100, 200, 250])
    }

    @Test func foreignFilesAreLeftAlone() async throws {
        let bench = try FileBench()
        let engine = try bench.engine(CacheLimits(count: 10))
        try await engine.set(bench.entry(1), for: "a")
        let manager = FileManager.default
        let shard = (bench.path("a") as NSString).deletingLastPathComponent
        let others = [
            "\(shard)/.DS_Store", "\(shard)/0123456789ABCDEF", "\(shard)/notes.txt", "\(bench.path("a")).old",
            bench.folder.file("cache/entries/file"), bench.folder.file("cache/entries/zz"),
            bench.folder.file("cache/temporary/x"), bench.folder.file("cache/README"),
        ]
        for path in others { try Data([1]).write(to: URL(fileURLWithPath: path)) }
        try manager.createDirectory(
            atPath: "\(shard)/\((shard as NSString).lastPathComponent)aaaaaaaaaaaaaa", withIntermediateDirectories: true
        )
        bench.advance(by: 1_000_000)
        try await engine.maintain()
        #expect(try await engine.keys() == ["a"])
        #expect(try engine.fill().count == 1)
        #expect(try await engine.removeAll(.all, progress: { _ in }) == 1)
        for path in others { #expect(manager.fileExists(atPath: path)) }
        #expect(bench.events.isEmpty)
    }

    @Test func foldersThatWereRemovedAreMadeAgain() async throws {
        let bench = try FileBench()
        let engine = try bench.engine(CacheLimits(count: 10))
        for removed in ["cache", "cache/entries", "cache/temporary"] {
            try await engine.set(bench.entry(1), for: "a")
            try FileManager.default.removeItem(atPath: bench.folder.file(removed))
            try await engine.set(bench.entry(2), for: "b")
            #expect(try engine.get("b")?.body.count == 2)
        }
    }

    @Test func orphanedTemporaryFilesAreSweptAfterADay() async throws {
        let bench = try FileBench()
        let engine = try bench.engine()
        let writer = CacheWriter(try engine.writer(for: "a", entry: bench.entry(10)))
        bench.advance(by: 80_000)
        try await engine.maintain()
        #expect(bench.temporary.count == 1)
        bench.advance(by: 10_000)
        try await engine.maintain()
        #expect(bench.temporary == [])
        guard case .swept(1) = bench.events.first else {
            Issue.record("the sweep was not reported")
            return
        }
        let error = await #expect(throws: CacheError.self) { try await writer.commit() }
        #expect(error?.code == .system)
        #expect(try engine.get("a") == nil)
    }
}

import Foundation
import Synchronization
import Testing

@testable import TangoCache

@Suite struct FileEngineVerifyTests {
    private func filled(_ bench: FileBench) async throws -> FileEngine {
        let engine = try bench.engine(CacheLimits(age: .seconds(100)))
        var expired = bench.entry(30)
        expired.expires = bench.now
        try await engine.set([
            (key: "small", entry: bench.entry(10)), (key: "large", entry: bench.entry(300_000)),
            (key: "expired", entry: expired), (key: "pinned", entry: bench.entry(20, pinned: true)),
        ])
        return engine
    }

    @Test func everythingHasAlsoWhatIsOver() async throws {
        let bench = try FileBench()
        let engine = try await filled(bench)
        bench.advance(by: 200)
        #expect(try await engine.keys() == ["pinned"])
        var keys: Set<CacheKey> = []
        for try await item in engine.everything() { keys.insert(item.key) }
        #expect(keys == ["small", "large", "expired", "pinned"])
    }

    @Test func aSoundStoreIsReadWhole() async throws {
        let bench = try FileBench()
        let engine = try await filled(bench)
        bench.advance(by: 200)
        let verification = try await engine.verify(repair: true) { _, _ in }
        #expect(verification.isSound)
        #expect((verification.checked, verification.bytes, verification.removed) == (4, 300_060, 0))
        #expect(try engine.fill().count == 4)
    }

    @Test(arguments: [("small", 0), ("small", 60), ("large", 66), ("large", 250_000), ("expired", 70), ("pinned", 80)])
    func damageIsFoundAndRemovedOnlyIfWanted(_ key: CacheKey, _ offset: Int) async throws {
        let bench = try FileBench()
        let engine = try await filled(bench)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: bench.path(key))
        try bench.damage(key, at: offset)
        let files = bench.files
        var verification = try await engine.verify(repair: false) { _, _ in }
        #expect(verification.damaged.count == 1)
        #expect(verification.damaged.allSatisfy { $0.key == nil || $0.key == key })
        #expect((verification.checked, verification.removed) == (4, 0))
        #expect(bench.files == files)
        verification = try await engine.verify(repair: true) { _, _ in }
        #expect((verification.damaged.count, verification.removed) == (1, 1))
        #expect(!FileManager.default.fileExists(atPath: bench.path(key)))
        verification = try await engine.verify(repair: true) { _, _ in }
        #expect(verification.isSound)
        #expect(verification.checked == 3)
        #expect(bench.events.isEmpty)
    }

    @Test func aFileInTheWrongPlaceIsFound() async throws {
        let bench = try FileBench()
        let engine = try await filled(bench)
        try FileManager.default.removeItem(atPath: bench.path("large"))
        try FileManager.default.copyItem(atPath: bench.path("small"), toPath: bench.path("large"))
        let verification = try await engine.verify(repair: true) { _, _ in }
        #expect(verification.damaged.map(\.key) == ["small"])
        #expect(verification.damaged.map(\.reason) == ["its file belongs to another entry"])
        #expect(verification.removed == 1)
        #expect(try engine.get("small") != nil)
    }

    @Test func temporaryFilesAreOrphansAfterADay() async throws {
        let bench = try FileBench()
        let engine = try await filled(bench)
        let writer = CacheWriter(try engine.writer(for: "film", entry: bench.entry(10)))
        #expect(try await engine.verify(repair: true) { _, _ in }.orphanedFiles == 0)
        #expect(bench.temporary.count == 1)
        bench.advance(by: 100_000)
        #expect(try await engine.inspect().orphanedFiles == 1)
        #expect(try await engine.verify(repair: false) { _, _ in }.orphanedFiles == 1)
        #expect(bench.temporary.count == 1)
        #expect(try await engine.verify(repair: true) { _, _ in }.orphanedFiles == 1)
        #expect(bench.temporary == [])
        writer.abandon()
    }

    @Test func theProgressIsTold() async throws {
        let bench = try FileBench()
        let engine = try bench.engine()
        try await engine.set((0..<600).map { (key: CacheKey("\($0)"), entry: bench.entry(1)) })
        let told = Mutex<[[Int]]>([])
        _ = try await engine.verify(repair: false) { checked, total in told.withLock { $0.append([checked, total]) } }
        #expect(told.withLock { $0 } == [[256, 600], [512, 600], [600, 600], [600, 600]])
    }

    @Test func entriesReplacedDuringVerificationAreNotDamaged() async throws {
        let bench = try FileBench()
        let engine = try bench.engine()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for round in 0..<200 {
                    try await engine.set(bench.entry(round * 900), for: CacheKey("\(round % 7)"))
                    try await engine.remove([CacheKey("\((round + 3) % 7)")])
                }
            }
            group.addTask {
                let other = try bench.engine()
                for round in 0..<20 {
                    let verification = try await other.verify(repair: round % 2 == 0) { _, _ in }
                    #expect(verification.isSound, "\(verification)")
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func anInspectionSaysWhatIsThere() async throws {
        let bench = try FileBench()
        let before = bench.now
        _ = try await filled(bench)
        bench.advance(by: 50)
        let engine = try bench.engine(role: .guest(repairs: false))
        try await bench.engine().set(bench.entry(5), for: "later")
        let found = try await engine.inspect()
        #expect((found.count, found.pinnedCount, found.expiredCount) == (5, 1, 1))
        #expect((found.oldest, found.newest) == (before, bench.now))
        #expect((found.applicationVersion, found.formatVersion) == (0, 1))
        #expect((found.bodyFiles, found.bodyBytes) == (5, found.bytesOnDisk))
        #expect(found.bytesOnDisk > 300_000)
        #expect(found.setAside == [])
    }
}

import Foundation
import Testing

@testable import TangoCache

@Suite struct FileEngineVersionTests {
    private func outdated(_ bench: FileBench) -> [String] {
        bench.events.compactMap { if case .outdated(let reason) = $0 { reason } else { nil } }
    }

    @Test(arguments: [(0, 1), (1, 0), (1, 2), (7, -3), (.max, .min)] as [(Int64, Int64)])
    func anotherVersionStartsEmpty(_ old: Int64, _ new: Int64) async throws {
        let bench = try FileBench()
        try await bench.engine(role: .owner(version: old)).set([
            (key: "a", entry: bench.entry(1)), (key: "pinned", entry: bench.entry(1, pinned: true)),
        ])
        #expect(try bench.engine(role: .owner(version: old)).getMany(["a", "pinned"]).count { $0 != nil } == 2)
        #expect(bench.events.isEmpty)
        let engine = try bench.engine(role: .owner(version: new))
        #expect(try engine.get("a") == nil)
        #expect(try engine.fill() == DiskFill())
        #expect(
            outdated(bench) == ["version \(old) of the application wrote it, this is version \(new)"])
        try await engine.set(bench.entry(2), for: "a")
        #expect(try bench.engine(role: .owner(version: new)).get("a")?.body.count == 2)
        #expect(bench.events.count == 1)
        #expect(bench.temporary == [])
    }

    @Test func aNewFolderIsNeverOutdated() throws {
        let bench = try FileBench()
        _ = try bench.engine(role: .owner(version: 5))
        #expect(bench.events.isEmpty)
        #expect(try String(contentsOfFile: bench.folder.file("cache/version"), encoding: .utf8) == "5\n")
    }

    @Test(arguments: [
        "", "1", "one\n", "1\n2\n", "99999999999999999999\n", " 1\n", String(repeating: "1", count: 5000),
    ])
    func aVersionThatCannotBeReadIsAnother(_ text: String) async throws {
        let bench = try FileBench()
        try await bench.engine(role: .owner(version: 1)).set(bench.entry(1), for: "a")
        try Data(text.utf8).write(to: URL(fileURLWithPath: bench.folder.file("cache/version")))
        #expect(try bench.engine(role: .owner(version: 1)).get("a") == nil)
        #expect(outdated(bench) == ["an unknown version of the application wrote it, this is version 1"])
        #expect(try String(contentsOfFile: bench.folder.file("cache/version"), encoding: .utf8) == "1\n")
    }

    @Test func aKillWhileAStoreIsEmptiedIsMadeGood() async throws {
        let bench = try FileBench()
        try await bench.engine(role: .owner(version: 1)).set(
            (0..<20).map { (key: CacheKey("\($0)"), entry: bench.entry($0)) })
        for call in [FileSystem.Call.remove, .create, .write, .rename] {
            bench.faults.fail(call, with: EIO) { call != .remove || $0 > 10 }
            let error = #expect(throws: CacheError.self) { try bench.engine(role: .owner(version: 2)) }
            #expect(error?.code == .system)
            bench.faults.mend()
            #expect(bench.temporary == [])
        }
        #expect(try bench.engine(role: .owner(version: 2)).fill().count == 0)
        #expect(outdated(bench).count == 1)
    }

    @Test func manyThatOpenAtOnceLoseNothingThatIsStoredAfterwards() async throws {
        for _ in 0..<20 {
            let bench = try FileBench()
            try await bench.engine(role: .owner(version: 1)).set(
                (0..<30).map { (key: CacheKey("old \($0)"), entry: bench.entry($0)) })
            try await withThrowingTaskGroup(of: Void.self) { group in
                for worker in 0..<6 {
                    group.addTask {
                        let engine = try bench.engine(role: .owner(version: 2))
                        try await engine.set(bench.entry(100 + worker), for: "new \(worker)")
                    }
                }
                try await group.waitForAll()
            }
            let engine = try bench.engine(role: .owner(version: 2))
            #expect(try await engine.keys() == Set((0..<6).map { CacheKey("new \($0)") }))
            #expect(bench.temporary == [])
        }
    }

    @Test func aFileOfALaterFormatIsAMissUntilItIsReplaced() async throws {
        let bench = try FileBench()
        let engine = try bench.engine()
        try await engine.set([(key: "a", entry: bench.entry(700_000)), (key: "b", entry: bench.entry(1))])
        // From version 1 to version 3.
        try bench.damage("a", at: 4, by: 2)
        let later = try Data(contentsOf: URL(fileURLWithPath: bench.path("a")))
        #expect(try engine.get("a") == nil)
        #expect(try engine.reader(for: "a") == nil)
        #expect(try await engine.keys() == ["b"])
        #expect(try await engine.removeAll(.tagged("none")) { _ in } == 0)
        try await engine.maintain()
        let verification = try await engine.verify(repair: true) { _, _ in }
        #expect(verification.isSound)
        #expect(verification.checked == 1)
        #expect(try Data(contentsOf: URL(fileURLWithPath: bench.path("a"))) == later)
        #expect(bench.events.isEmpty)
        try await engine.set(bench.entry(2), for: "a")
        #expect(try engine.get("a")?.body.count == 2)
        #expect(try engine.fill().count == 2)
    }

    @Test func aFileOfNoFormatIsDamage() async throws {
        let bench = try FileBench()
        let engine = try bench.engine()
        try await engine.set(bench.entry(1), for: "a")
        // From version 1 to version 0.
        try bench.damage("a", at: 4, by: 1)
        #expect(try engine.get("a") == nil)
        #expect(bench.events.count == 1)
    }
}

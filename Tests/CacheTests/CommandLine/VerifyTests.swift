import Foundation
import Testing

@testable import CacheTool
@testable import TangoCache

@Suite struct VerifyTests {
    private func verify(_ folder: ToolFolder, repair: Bool = false) async throws -> CacheVerification {
        let store = try DiskStore(existing: folder.scratch.url, repairs: repair, onEvent: { _ in })
        let found = try await store.verify(repair: repair)
        await store.close()
        return found
    }

    @Test func aStoreThatIsWholeIsSound() async throws {
        let folder = try await ToolFolder()
        let found = try await verify(folder)
        #expect(found.isSound)
        #expect(found.checked == 4)
        #expect(found.bytes == 202_103)
        #expect(found.orphanedFiles == 0)
    }

    @Test func theProgressIsTold() async throws {
        let entries = (0..<600).map { (key: CacheKey("\($0)"), entry: CacheEntry(body: Data(count: $0))) }
        let folder = try await ToolFolder(entries)
        let store = try folder.open()
        let told = Guarded<[[Int]]>([])
        let found = try await store.verify { checked, total in told.change { $0.append([checked, total]) } }
        await store.close()
        #expect(found.checked == 600)
        #expect(told.value == [[256, 600], [512, 600], [600, 600], [600, 600]])
    }

    @Test(arguments: [
        "body = x'00'", "written = written + 1", "length = 5", "facts = x'00'", "checksum = 5", "flags = 1",
        "expires = 1e12", "file = 9", "key = x'62'", "hash = 5", "length = -9223372036854775807 - 1",
        "length = 9223372036854775807",
    ])
    func aRowThatWasChangedIsFoundAndRemoved(_ change: String) async throws {
        let folder = try await ToolFolder()
        try folder.change("UPDATE entry SET \(change) WHERE key = x'61'")
        var found = try await verify(folder)
        #expect(found.damaged.count == 1)
        #expect(found.structure.isEmpty)
        #expect(found.removed == 0)
        found = try await verify(folder, repair: true)
        #expect(found.damaged.count == 1)
        #expect(found.removed == 1)
        found = try await verify(folder)
        #expect(found.isSound)
        #expect(found.checked == 3)
        #expect(try await folder.keys == ["b/1", "b/2", "large"])
    }

    @Test(arguments: [0, 10, 70, 100_000, 200_060]) func aFileThatWasChangedIsFoundAndRemoved(_ offset: Int)
        async throws
    {
        let folder = try await ToolFolder()
        try folder.damage(try #require(try folder.bodyFiles.first), at: offset, count: 8)
        #expect(try await verify(folder).damaged.map(\.key) == ["large"])
        #expect(try await verify(folder, repair: true).removed == 1)
        #expect(try await verify(folder).isSound)
        #expect(try folder.bodyFiles.isEmpty)
    }

    @Test func aFileThatIsGoneIsFound() async throws {
        let folder = try await ToolFolder()
        try FileManager.default.removeItem(atPath: try #require(try folder.bodyFiles.first))
        let found = try await verify(folder)
        #expect(found.damaged.map(\.key) == ["large"])
        #expect(found.damaged.map(\.reason) == ["its file is missing"])
    }

    @Test func theFileOfAnotherEntryIsFound() async throws {
        let body = Data(count: 100_000)
        let folder = try await ToolFolder([("one", CacheEntry(body: body)), ("other", CacheEntry(body: body))])
        let files = try folder.bodyFiles
        try FileManager.default.removeItem(atPath: files[0])
        try FileManager.default.copyItem(atPath: files[1], toPath: files[0])
        #expect(try await verify(folder).damaged.map(\.reason) == ["its file belongs to another entry"])
    }

    @Test func wrongSumsAreFoundAndCountedAnew() async throws {
        let folder = try await ToolFolder()
        try folder.change("UPDATE total SET count = 5, bytes = bytes + 7")
        var found = try await verify(folder)
        #expect(found.damaged.isEmpty)
        #expect(found.structure.count == 1)
        found = try await verify(folder, repair: true)
        #expect(found.structure.count == 1)
        #expect(try await verify(folder).isSound)
        #expect(try await folder.keys.count == 4)
    }

    @Test func aRowThatIsNotInTheIndexOfLinesIsFoundAndRemoved() async throws {
        let folder = try await ToolFolder(
            ["one", "a\n1", "a\n2"].map { (key: CacheKey($0), entry: CacheEntry(body: Data($0.utf8))) })
        // The definition stays, so the database is opened.
        let rest = "INDEX entry_line ON entry (substr(key, 1, instr(key, x'0a'))) WHERE instr(key, x'0a') > "
        for sql in ["DROP INDEX entry_line", "CREATE \(rest)100"] { try folder.change(sql) }
        do {
            let database = try Database(folder.place.database, .reader, timeout: 10_000)
            try database.execute("PRAGMA writable_schema=ON")
            try database.execute(
                "UPDATE sqlite_master SET sql = replace(sql, '> 100', '> 0') WHERE name = 'entry_line'")
        }
        let found = try await verify(folder)
        #expect(found.damaged.map(\.key) == ["a\n1", "a\n2"])
        #expect(found.damaged.allSatisfy { $0.reason == "it cannot be found under the first line of its key" })
        _ = try await verify(folder, repair: true)
        #expect(try await verify(folder).isSound)
    }

    @Test func filesThatWereLeftAreCountedAndRemoved() async throws {
        let folder = try await ToolFolder()
        let orphan = folder.place.bodies + "/0000000100000001"
        try Data(count: 10).write(to: URL(filePath: orphan))
        var found = try await verify(folder)
        #expect(found.isSound)
        #expect(found.orphanedFiles == 1)
        #expect(FileManager.default.fileExists(atPath: orphan))
        found = try await verify(folder, repair: true)
        #expect(found.orphanedFiles == 1)
        #expect(!FileManager.default.fileExists(atPath: orphan))
        #expect(try await verify(folder).orphanedFiles == 0)
    }

    /// Fills enough pages that damage in the middle does not hit the first one.
    private func brokenFolder() async throws -> ToolFolder {
        let entries = (0..<400).map { (key: CacheKey("\($0)"), entry: CacheEntry(body: Data(count: 900))) }
        let folder = try await ToolFolder(entries)
        let size = try Data(contentsOf: URL(filePath: folder.place.database)).count
        for page in 8..<(size / 4096) { try folder.damage(folder.place.database, at: page * 4096) }
        return folder
    }

    @Test func aBrokenDatabaseIsFoundAndReplacedOnlyIfWanted() async throws {
        let folder = try await brokenFolder()
        let found = try await verify(folder)
        #expect(!found.structure.isEmpty)
        #expect(!folder.scratch.files.contains { $0.hasPrefix("damaged-") })
        let repaired = try await verify(folder, repair: true)
        #expect(!repaired.structure.isEmpty)
        #expect(folder.scratch.files.contains { $0.hasPrefix("damaged-") })
        #expect(try await verify(folder).isSound)
        #expect(try await folder.keys.isEmpty)
    }

    @Test func verifyingInTheApplicationReplacesNothingByItself() async throws {
        let folder = try await brokenFolder()
        let events = Guarded<[String]>([])
        let store = try DiskStore(
            directory: folder.scratch.url, limits: .unlimited,
            onEvent: { event in events.change { $0.append("\(event)") } })
        #expect(try await !store.verify().structure.isEmpty)
        #expect(events.value.isEmpty)
        #expect(try await !store.verify(repair: true).structure.isEmpty)
        #expect(events.value.count == 1)
        #expect(try await store.verify().isSound)
        try await store.set(CacheEntry(body: Data("new".utf8)), for: "new")
        #expect(try await store.verify().checked == 1)
        await store.close()
    }

    @Test func entriesWrittenDuringVerificationAreNotDamaged() async throws {
        let folder = try await ToolFolder()
        let store = try folder.open()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for round in 0..<150 {
                    let body = Data(count: round % 2 == 0 ? 100_000 : 10)
                    try await store.set(CacheEntry(body: body), for: CacheKey("\(round % 7)"))
                    try await store.remove(CacheKey("\((round + 3) % 7)"))
                }
            }
            group.addTask {
                for round in 0..<20 {
                    let found = try await verify(folder, repair: round % 2 == 0)
                    #expect(found.isSound, "\(found)")
                }
            }
            try await group.waitForAll()
        }
        await store.close()
    }
}

import Foundation
import Testing

@testable import CacheTool
@testable import TangoCache

/// The tool on a folder of plain files.
@Suite struct PlainFilesTests {
    private let scratch = ScratchFolder()

    private func open(version: Int = 0) throws -> DiskStore {
        try DiskStore(directory: scratch.url, limits: .unlimited, engine: .files, version: version, onEvent: { _ in })
    }

    /// Fills the store with the samples and one expired entry.
    private func fill(version: Int = 0) async throws {
        let store = try open(version: version)
        try await store.setMany(ToolFolder.samples)
        try await store.set(CacheEntry(body: Data(count: 50), expires: Date(timeIntervalSinceNow: -60)), for: "over")
        await store.close()
    }

    private func run(_ arguments: String...) async -> ToolResult {
        await Tool.result([arguments[0], scratch.path] + arguments.dropFirst())
    }

    private func keys(_ arguments: String...) async throws -> Set<String> {
        let result = await Tool.result(["list", scratch.path, "--json"] + arguments)
        let entries = try result.document["entries"] as? [[String: Any]] ?? []
        return Set(entries.compactMap { $0["key"] as? String })
    }

    private func path(_ key: CacheKey) -> String {
        EntryFolder(path: scratch.path, files: FileSystem()).place(of: key).path
    }

    private func damage(_ key: CacheKey, at offset: UInt64) throws {
        let file = try FileHandle(forUpdating: URL(filePath: path(key)))
        try file.seek(toOffset: offset)
        try file.write(contentsOf: Data(repeating: 0xa5, count: 8))
        try file.close()
    }

    /// Creates a file of a process that was killed a week ago.
    private func leaveOrphan() throws -> String {
        let orphan = scratch.path + "/temporary/0123456789abcdef"
        try Data(count: 10).write(to: URL(filePath: orphan))
        try FileSystem().touch(orphan, Date(timeIntervalSinceNow: -604_800))
        return orphan
    }

    @Test func theFolderIsDescribed() async throws {
        try await fill(version: 7)
        let orphan = try leaveOrphan()
        let document = try await run("stats", "--json").document
        #expect(document["engine"] as? String == "files")
        #expect(document["entries"] as? Int == 5)
        #expect(document["pinnedEntries"] as? Int == 1)
        #expect(document["expiredEntries"] as? Int == 1)
        #expect(document["orphanedFiles"] as? Int == 1)
        #expect(document["bodyFiles"] as? Int == 5)
        #expect(document["applicationVersion"] as? Int == 7)
        #expect(document["formatVersion"] as? Int == 1)
        #expect(document["oldest"] is String)
        #expect(FileManager.default.fileExists(atPath: orphan))
        #expect(await run("stats").lines.contains("engine               plain files"))
    }

    @Test func aStoreWithoutEntriesIsAStore() async throws {
        await (try open()).close()
        let result = await run("stats", "--json")
        #expect(result.code == .done)
        #expect(try result.document["entries"] as? Int == 0)
        #expect(await run("verify").code == .done)
        #expect(await run("list").code == .nothing)
    }

    @Test func expiredEntriesAreListedAndPurged() async throws {
        try await fill()
        for _ in 1...2 {
            #expect(try await keys("--expired") == ["over"])
            #expect(try await keys() == ["a", "b/1", "b/2", "large", "over"])
        }
        #expect(await run("show", "over").code == .nothing)
        #expect(await run("purge", "--expired", "--dry-run").code == .done)
        #expect(await run("purge", "--expired").text == "Removed 1 entry, 50 B.\n")
        #expect(await run("purge", "--expired").code == .nothing)
        #expect(try await keys().count == 4)
    }

    @Test(
        arguments: [
            (["--all"], []), (["--prefix", "b/"], ["a", "large", "over"]),
            (["--tag", "blue"], ["b/2", "large", "over"]),
            (["--older-than", "1h"], ["a", "b/1", "large", "over"]), (["a", "large", "x"], ["b/1", "b/2", "over"]),
        ] as [([String], Set<String>)])
    func selectedEntriesArePurged(_ arguments: [String], _ left: Set<String>) async throws {
        try await fill()
        let result = await Tool.result(["purge", scratch.path, "--json"] + arguments)
        #expect(result.code == .done)
        #expect(try result.document["removed"] as? Int == 5 - left.count)
        #expect(try await keys() == left)
    }

    @Test func entriesThatArePurgedByKeyAreLookedUpAndTheOthersAreNot() async throws {
        try await fill()
        try damage("b/1", at: 60)
        let trial = await run("purge", "a", "over", "a", "--dry-run")
        #expect(trial.code == .done)
        #expect(trial.text.contains("Would remove 2 entries"))
        let result = await run("purge", "a", "over", "a")
        #expect(result.text == "Removed 2 entries, 53 B.\n")
        // The damage is not reported, because no other file was read.
        #expect(trial.errors.isEmpty)
        #expect(result.errors.isEmpty)
        #expect(await run("purge", "a").errors == "there is no entry under a.\nnothing matches.\n")
    }

    @Test func aSoundStoreIsVerified() async throws {
        try await fill()
        let document = try await run("verify", "--json").document
        #expect(document["sound"] as? Bool == true)
        #expect(document["checked"] as? Int == 5)
        #expect(document["bytes"] as? Int == 202_153)
    }

    @Test func damageIsNamedAndRepaired() async throws {
        try await fill()
        try damage("a", at: 60)
        try damage("large", at: 100_000)
        let orphan = try leaveOrphan()
        let before = scratch.files
        let found = await run("verify", "--json")
        #expect(found.code == .nothing)
        let damaged = try #require(try found.document["damaged"] as? [[String: Any]])
        #expect(Set(damaged.map { $0["key"] as? String }) == [nil, "large"])
        #expect(try found.document["checked"] as? Int == 5)
        #expect(try found.document["removed"] as? Int == 0)
        #expect(try found.document["orphanedFiles"] as? Int == 1)
        #expect(scratch.files == before)

        let repaired = await run("verify", "--repair")
        #expect(repaired.code == .nothing)
        #expect(repaired.text.contains("large: its body does not match its checksums\n"))
        #expect(repaired.text.contains("an entry: its header, key or metadata does not match its checksum\n"))
        #expect(repaired.text.contains("5 entries, 202 kB: 2 damaged\n2 entries removed\n"))
        #expect(repaired.text.contains("1 file of processes that ended early, removed\n"))
        #expect(!FileManager.default.fileExists(atPath: orphan))
        #expect(await run("verify").code == .done)
        #expect(try await keys() == ["b/1", "b/2", "over"])
    }

    @Test(arguments: [["stats"], ["list"], ["show", "a"], ["show", "over"], ["show", "damaged"], ["verify"]])
    func lookingLeavesNoTrace(_ call: [String]) async throws {
        try await fill(version: 7)
        let store = try open(version: 7)
        try await store.set(CacheEntry(body: Data(count: 9)), for: "damaged")
        await store.close()
        try damage("damaged", at: 60)
        let files = FileSystem()
        let week = Date(timeIntervalSinceNow: -604_800)
        for name in scratch.files { try files.touch(scratch.path + "/" + name, week) }
        let before = scratch.files
        #expect(await Tool.result([call[0], scratch.path] + call.dropFirst()).code != .unusable)
        #expect(scratch.files == before)
        for name in scratch.files {
            let time = try #require(try files.status(scratch.path + "/" + name)).modified
            #expect(abs(time - week.timeIntervalSinceReferenceDate) < 1)
        }
    }
}

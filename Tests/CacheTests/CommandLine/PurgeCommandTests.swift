import Foundation
import TangoCache
import Testing

@testable import CacheTool

@Suite struct PurgeCommandTests {
    @Test(
        arguments: [
            (["--all"], []), (["--prefix", "b/"], ["a", "large"]), (["--tag", "blue"], ["b/2", "large"]),
            (["--older-than", "1h"], ["a", "b/1", "large"]), (["a", "large", "missing"], ["b/1", "b/2"]),
            (["--hex", "61"], ["b/1", "b/2", "large"]), (["--hex", "--prefix", "62"], ["a", "large"]),
        ] as [([String], Set<String>)])
    func selectedEntriesAreRemoved(_ arguments: [String], _ left: Set<String>) async throws {
        let folder = try await ToolFolder()
        let trial = await Tool.result(["purge", folder.path, "--dry-run", "--json"] + arguments)
        #expect(trial.code == .done)
        #expect(try trial.document["dryRun"] as? Bool == true)
        #expect(try trial.document["removed"] as? Int == 0)
        #expect(try trial.document["matched"] as? Int == 4 - left.count)
        #expect(try await folder.keys.count == 4)
        let result = await Tool.result(["purge", folder.path, "--json"] + arguments)
        #expect(result.code == .done)
        #expect(try result.document["dryRun"] as? Bool == false)
        #expect(try result.document["removed"] as? Int == 4 - left.count)
        #expect(try result.document["bytes"] as? Int == trial.document["bytes"] as? Int)
        #expect(try await folder.keys == left)
        #expect(try folder.bodyFiles.count == (left.contains("large") ? 1 : 0))
    }

    /// An application that has the folder open alone has its entries in memory too.
    @Test(
        arguments: [["--older-than", "1h"], ["--prefix", "b/2"], ["--tag", "old"], ["b/2"], ["--all"]])
    func aRunningApplicationForgetsWhatIsPurged(_ selection: [String]) async throws {
        let scratch = ScratchFolder()
        let disk = try DiskStore(directory: scratch.url, onEvent: { _ in })
        let store = TieredStore(over: disk)
        let entry = CacheEntry(body: Data("a".utf8), tags: ["old"], written: Date(timeIntervalSinceNow: -7200))
        try await store.set(entry, for: "b/2")
        // The first look at the changes may make it forget once.
        try #require(try await store.get("b/2") != nil)
        while store.peek("b/2") == nil { _ = try await store.get("b/2") }
        #expect(await Tool.result(["purge", scratch.path] + selection).code == .done)
        while store.peek("b/2") != nil { await Task.yield() }
        #expect(try await store.get("b/2") == nil)
        await disk.close()
    }

    @Test func expiredEntriesAreRemoved() async throws {
        let folder = try await ToolFolder()
        try await folder.expire(["a"])
        #expect(await Tool.result("purge", folder.path, "--expired").text == "Removed 1 entry, 3 B.\n")
        #expect(await Tool.result("purge", folder.path, "--expired").code == .nothing)
        #expect(try await folder.keys.count == 3)
    }

    /// The row of the entry can be found and removed, but not listed.
    @Test func aDamagedEntryIsPurgedByItsKey() async throws {
        let folder = try await ToolFolder()
        try folder.change("UPDATE entry SET body = x'00' WHERE key = x'61'")
        let result = await Tool.result("purge", folder.path, "a", "b/1", "--json")
        #expect(result.code == .done)
        #expect(result.errors.isEmpty)
        #expect(try result.document["removed"] as? Int == 2)
        #expect(try await folder.keys == ["b/2", "large"])
    }

    @Test func aKeyThatHasExpiredIsPurged() async throws {
        let folder = try await ToolFolder()
        try await folder.expire(["a"])
        #expect(await Tool.result("purge", folder.path, "a").text == "Removed 1 entry, 3 B.\n")
    }

    @Test func theTrialNamesTheEntries() async throws {
        let folder = try await ToolFolder()
        let result = await Tool.result("purge", folder.path, "--tag", "blue", "--dry-run")
        #expect(result.lines.count == 4)
        #expect(result.lines[1].hasPrefix("a "))
        #expect(result.lines[3] == "Would remove 2 entries, 2.0 kB.")
    }

    @Test(arguments: [["missing"], ["--tag", "green"], ["--prefix", "c"], ["--older-than", "1w"], ["--expired"]])
    func nothingIsAnExitCode(_ arguments: [String]) async throws {
        let folder = try await ToolFolder()
        let result = await Tool.result(["purge", folder.path] + arguments)
        #expect(result.code == .nothing)
        #expect(result.output.isEmpty)
        #expect(try await folder.keys.count == 4)
    }

    @Test func withoutAChoiceNothingIsOpened() async throws {
        let result = await Tool.result("purge", "/nowhere")
        #expect(result.code == .usage)
    }
}

import Foundation
import Testing

@testable import CacheTool
@testable import TangoCache

@Suite struct StatsCommandTests {
    @Test func theFolderIsDescribed() async throws {
        let folder = try await ToolFolder(version: 7)
        try await folder.expire(["a"], version: 7)
        let result = await Tool.result("stats", folder.path, "--json")
        #expect(result.code == .done)
        #expect(result.errors.isEmpty)
        let document = try result.document
        #expect(document["folder"] as? String == folder.path)
        #expect(document["engine"] as? String == "sqlite")
        #expect(document["entries"] as? Int == 4)
        #expect(try #require(document["bytes"] as? Int) > 202_103)
        #expect(document["pinnedEntries"] as? Int == 1)
        #expect(try #require(document["pinnedBytes"] as? Int) > 2000)
        #expect(document["expiredEntries"] as? Int == 1)
        #expect(document["bodyFiles"] as? Int == 1)
        #expect(try #require(document["bodyBytes"] as? Int) > 200_000)
        #expect(try #require(document["bytesOnDisk"] as? Int) > 220_000)
        #expect(document["logBytes"] is Int)
        #expect(document["orphanedFiles"] as? Int == 0)
        #expect(document["setAside"] as? [String] == [])
        #expect(document["applicationVersion"] as? Int == 7)
        #expect(document["formatVersion"] as? Int == 3)
        #expect(document.count == 17)
        let oldest = try Date(#require(document["oldest"] as? String), strategy: .iso8601)
        let newest = try Date(#require(document["newest"] as? String), strategy: .iso8601)
        #expect(newest.timeIntervalSince(oldest) > 7000)
    }

    @Test func theTextSaysTheSame() async throws {
        let folder = try await ToolFolder(version: 7)
        let result = await Tool.result("stats", folder.path)
        #expect(result.code == .done)
        #expect(result.lines.contains("engine               SQLite"))
        #expect(result.lines.contains("entries              4, 1 of them pinned, 0 expired"))
        #expect(result.lines.contains("oldest               2 h ago"))
        #expect(result.lines.contains("application version  7"))
    }

    @Test func anEmptyStoreHasNoAges() async throws {
        let folder = try await ToolFolder([])
        let document = try await Tool.result("stats", folder.path, "--json").document
        #expect(document["entries"] as? Int == 0)
        #expect(document["oldest"] is NSNull)
    }

    @Test func orphanedFilesAndFoldersSetAsideAreCounted() async throws {
        let folder = try await ToolFolder()
        try Data(count: 10).write(to: URL(filePath: folder.place.bodies + "/0000000100000001"))
        try FileManager.default.createDirectory(
            atPath: folder.path + "/damaged-0000000000000001", withIntermediateDirectories: true)
        let document = try await Tool.result("stats", folder.path, "--json").document
        #expect(document["orphanedFiles"] as? Int == 1)
        #expect(document["setAside"] as? [String] == [folder.path + "/damaged-0000000000000001"])
        #expect(FileManager.default.fileExists(atPath: folder.place.bodies + "/0000000100000001"))
    }
}

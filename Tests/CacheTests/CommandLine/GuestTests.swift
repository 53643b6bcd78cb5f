import Foundation
import Testing

@testable import CacheTool
@testable import TangoCache

/// The tool inspects stores of other applications and must not change them.
@Suite struct GuestTests {
    private static let calls = [
        ["stats"], ["list"], ["show", "a"], ["verify"], ["verify", "--repair"], ["purge", "--all"],
    ]

    private func run(_ call: [String], on folder: String) async -> ToolResult {
        await Tool.result([call[0], folder] + call.dropFirst())
    }

    @Test(arguments: calls) func aFolderThatIsMissingStaysMissing(_ call: [String]) async {
        let scratch = ScratchFolder()
        let result = await run(call, on: scratch.path)
        #expect(result.code == .unusable)
        #expect(result.output.isEmpty)
        #expect(result.errors == "There is no folder \(scratch.path). Check the path.\n")
        #expect(!FileManager.default.fileExists(atPath: scratch.path))
    }

    @Test(arguments: calls) func aFolderWithoutAStoreIsLeftAlone(_ call: [String]) async throws {
        let scratch = ScratchFolder()
        try FileManager.default.createDirectory(at: scratch.url, withIntermediateDirectories: true)
        try Data("mine".utf8).write(to: scratch.url.appending(path: "letter"))
        let result = await run(call, on: scratch.path)
        #expect(result.code == .unusable)
        #expect(result.errors.hasPrefix("There is no store in \(scratch.path)"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["letter"])
    }

    @Test(arguments: calls) func aFileIsNoFolder(_ call: [String]) async throws {
        let scratch = ScratchFolder()
        try FileManager.default.createDirectory(at: scratch.url, withIntermediateDirectories: true)
        let file = scratch.url.appending(path: "letter")
        try Data("mine".utf8).write(to: file)
        #expect(await run(call, on: file.path).code == .unusable)
        #expect(try Data(contentsOf: file) == Data("mine".utf8))
    }

    @Test(arguments: calls) func aForeignDatabaseIsLeftAlone(_ call: [String]) async throws {
        let scratch = ScratchFolder()
        let place = Place(folder: scratch.path)
        try FileManager.default.createDirectory(atPath: place.index, withIntermediateDirectories: true)
        do {
            let database = try Database(place.database, .owner, timeout: 0)
            try database.execute("CREATE TABLE song (name TEXT)")
        }
        let before = try Data(contentsOf: URL(filePath: place.database))
        let result = await run(call, on: scratch.path)
        #expect(result.code == .unusable)
        #expect(result.errors.contains("the database was not created by Tango"))
        #expect(try Data(contentsOf: URL(filePath: place.database)) == before)
        #expect(!scratch.files.contains { $0.hasPrefix("damaged-") })
    }

    @Test(arguments: calls) func anEmptyDatabaseIsLeftAlone(_ call: [String]) async throws {
        let scratch = ScratchFolder()
        let place = Place(folder: scratch.path)
        try FileManager.default.createDirectory(atPath: place.index, withIntermediateDirectories: true)
        try Data().write(to: URL(filePath: place.database))
        #expect(await run(call, on: scratch.path).code == .unusable)
        #expect(try Data(contentsOf: URL(filePath: place.database)).isEmpty)
    }

    @Test(arguments: [["stats"], ["list"], ["show", "a"], ["purge", "--all"]])
    func aDamagedDatabaseIsLeftAlone(_ call: [String]) async throws {
        let folder = try await ToolFolder()
        try folder.damage(folder.place.database, at: 0, count: 4096)
        let result = await run(call, on: folder.path)
        #expect(result.code == .unusable)
        #expect(result.errors.contains("was not changed"))
        #expect(!folder.scratch.files.contains { $0.hasPrefix("damaged-") })
    }

    @Test func theVersionOfTheApplicationDoesNotMatter() async throws {
        let folder = try await ToolFolder(version: 7)
        for call in Self.calls.dropLast() { #expect(await run(call, on: folder.path).code == .done) }
        let store = try folder.open(version: 7)
        #expect(try await store.statistics().count == 4)
        await store.close()
    }

    @Test(arguments: [["stats"], ["list"], ["show", "a"], ["verify"]])
    func lookingLeavesNoTrace(_ call: [String]) async throws {
        let folder = try await ToolFolder()
        // The first call removes files that the application may have left.
        _ = await run(["stats"], on: folder.path)
        let before = folder.scratch.files
        #expect(await run(call, on: folder.path).code == .done)
        #expect(folder.scratch.files == before)
    }

    @Test func lookingRemovesNothingThatHasExpired() async throws {
        let folder = try await ToolFolder()
        try await folder.expire(Set(ToolFolder.samples.map(\.key)))
        for call in Self.calls.prefix(2) { #expect(await run(call, on: folder.path).code == .done) }
        #expect(try await Tool.result("stats", folder.path, "--json").document["entries"] as? Int == 4)
    }
}

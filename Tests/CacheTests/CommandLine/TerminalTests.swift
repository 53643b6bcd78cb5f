import Foundation
import Testing

@testable import CacheTool
@testable import TangoCache

/// Stored, damaged or foreign text never reaches the terminal unescaped.
@Suite struct TerminalTests {
    private static let escape = "\u{1b}[31mred\u{202e}\u{9b}"

    private func expectPrintable(_ result: ToolResult, sourceLocation: SourceLocation = #_sourceLocation) {
        for text in [result.text, result.errors] {
            let wrong = text.unicodeScalars.filter { $0 != "\n" && !String($0).isPrintable }
            #expect(wrong.isEmpty, "\(text.debugDescription)", sourceLocation: sourceLocation)
        }
    }

    @Test func namesOfWhatWasSetAsideAreHarmless() async throws {
        let folder = try await ToolFolder()
        try FileManager.default.createDirectory(
            atPath: folder.path + "/damaged-" + Self.escape, withIntermediateDirectories: true)
        let result = await Tool.result("stats", folder.path)
        expectPrintable(result)
        #expect(result.text.contains("damaged-\\u{1b}[31mred"))
        let json = await Tool.result("stats", folder.path, "--json")
        expectPrintable(json)
        let aside = try #require(try json.document["setAside"] as? [String])
        #expect(aside.map { Array($0.utf8) } == [Array((folder.path + "/damaged-" + Self.escape).utf8)])
    }

    @Test func keysTagsAndMetadataAreHarmless() async throws {
        let entry = CacheEntry(
            body: Data([1]), metadata: [Self.escape: Self.escape], tags: [Self.escape, "\u{2066}"])
        let folder = try await ToolFolder([(CacheKey(Self.escape), entry), ("a\u{202e}b", CacheEntry(body: Data()))])
        for arguments in [
            ["list", folder.path], ["show", folder.path, Self.escape], ["list", folder.path, "--json"],
        ] {
            let result = await Tool.result(arguments)
            #expect(result.code == .done)
            expectPrintable(result)
        }
    }

    @Test func errorsAndUsageAreHarmless() async throws {
        let folder = try await ToolFolder()
        for arguments in [
            [Self.escape], ["list", folder.path, "--" + Self.escape], ["list", "/nowhere/" + Self.escape],
            ["show", folder.path, Self.escape], ["show", folder.path, "a", "--output", "/nowhere/" + Self.escape],
            ["purge", folder.path, Self.escape],
        ] {
            let result = await Tool.result(arguments)
            #expect(result.code != .done)
            #expect(!result.errors.isEmpty)
            expectPrintable(result)
        }
    }

    @Test func aDamagedSchemaIsHarmless() async throws {
        let folder = try await ToolFolder()
        try folder.change("PRAGMA writable_schema=ON")
        let database = try Database(folder.place.database, .reader, timeout: 10_000)
        try database.execute("PRAGMA writable_schema=ON")
        try database.execute("UPDATE sqlite_master SET sql = 'CREATE TABLE \(Self.escape) (' WHERE name = 'touched'")
        for call in ["stats", "verify"] {
            let result = await Tool.result(call, folder.path)
            #expect(result.code != .done)
            expectPrintable(result)
        }
    }

    @Test func aKeyInAnErrorOfAStoreIsHarmless() {
        let store = MemoryStore(limits: CacheLimits(bytes: 1))
        #expect(CacheKey("a\u{202e}b").description == "0x61e280ae62")
        #expect(throws: CacheError.self) { try store.put(CacheEntry(body: Data(count: 9)), for: "a\u{202e}b") }
    }
}

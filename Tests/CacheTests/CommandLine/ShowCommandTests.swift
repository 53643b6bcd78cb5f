import Foundation
import TangoCache
import Testing

@testable import CacheTool

@Suite struct ShowCommandTests {
    private let now = Date(timeIntervalSince1970: 1_000_000_000)

    @Test func allFieldsAreShown() async throws {
        let entry = CacheEntry(
            body: Data(count: 1500), metadata: ["etag": "x", "bell": "\u{7}"], tags: ["s", "t"], written: now - 7200)
        let folder = try await ToolFolder([("users/1", entry)])
        let result = await Tool.result("show", folder.path, "users/1", now: now)
        #expect(result.code == .done)
        #expect(
            result.text == """
                key       users/1
                size      1.5 kB (1500 bytes)
                written   2001-09-08T23:46:40Z, 2 h ago
                expires   never
                pinned    no
                tags      s, t
                metadata  bell: \\u{7}
                          etag: x

                """)
    }

    @Test(arguments: ["a", "large"]) func theBodyIsWrittenAsItIs(_ name: String) async throws {
        let folder = try await ToolFolder()
        let body = try #require(ToolFolder.samples.first { $0.key == CacheKey(name) }).entry.body
        let result = await Tool.result("show", folder.path, name, "--body")
        #expect(result.code == .done)
        #expect(result.output == body)
        #expect(result.errors.isEmpty)
        let json = await Tool.result("show", folder.path, name, "--body", "--json")
        let text = try #require(try json.document["body"] as? String)
        #expect(Data(base64Encoded: text) == body)
    }

    @Test(arguments: ["a", "large"]) func theBodyGoesToAFile(_ name: String) async throws {
        let folder = try await ToolFolder()
        let scratch = ScratchFolder()
        try FileManager.default.createDirectory(at: scratch.url, withIntermediateDirectories: true)
        let file = scratch.url.appending(path: "body")
        try Data("former".utf8).write(to: file)
        let body = try #require(ToolFolder.samples.first { $0.key == CacheKey(name) }).entry.body
        let result = await Tool.result("show", folder.path, name, "--output", file.path)
        #expect(result.code == .done)
        #expect(result.output.isEmpty)
        #expect(try Data(contentsOf: file) == body)
        #expect(scratch.files == ["body"])
        let json = await Tool.result("show", folder.path, name, "--output", file.path, "--json")
        #expect(try json.document["output"] as? String == file.path)
        #expect(try json.document["size"] as? Int == body.count)
    }

    @Test func aFileThatCannotBeWrittenIsAnError() async throws {
        let folder = try await ToolFolder()
        let result = await Tool.result("show", folder.path, "a", "--output", folder.path + "/missing/file")
        #expect(result.code == .unusable)
        #expect(result.errors.contains("/missing/file"))
    }

    @Test func keysMayBeHexadecimal() async throws {
        let folder = try await ToolFolder([(CacheKey(bytes: [0, 255]), CacheEntry(body: Data("x".utf8)))])
        #expect(await Tool.result("show", folder.path, "--hex", "0x00ff", "--body").text == "x")
    }

    @Test func aMissingEntryIsReported() async throws {
        let folder = try await ToolFolder()
        let result = await Tool.result("show", folder.path, "missing", "--json")
        #expect(result.code == .nothing)
        #expect(result.output.isEmpty)
        #expect(result.errors == "there is no entry under missing, or it has expired.\n")
    }

    @Test func aDamagedEntryIsReportedAndNotRemoved() async throws {
        let folder = try await ToolFolder()
        try folder.change("UPDATE entry SET body = x'00' WHERE key = x'61'")
        for _ in 0..<2 {
            let result = await Tool.result("show", folder.path, "a")
            #expect(result.code == .nothing)
            #expect(result.output.isEmpty)
            #expect(
                result.errors
                    == "the entry a is damaged: its row does not match its checksum. verify --repair removes it.\n")
        }
    }
}

import Foundation
import TangoCache
import Testing

@testable import CacheTool

@Suite struct ListCommandTests {
    private func keys(_ arguments: String..., in folder: ToolFolder) async throws -> [String] {
        let result = await Tool.result(["list", folder.path, "--json"] + arguments)
        #expect(result.errors.isEmpty)
        let entries = try result.document["entries"] as? [[String: Any]] ?? []
        #expect(result.code == (entries.isEmpty ? .nothing : .done))
        return entries.compactMap { $0["key"] as? String }
    }

    @Test func entriesAreChosenAndSorted() async throws {
        let folder = try await ToolFolder()
        #expect(try await keys(in: folder) == ["a", "b/1", "b/2", "large"])
        #expect(try await keys("--sort", "key", "--reverse", in: folder) == ["large", "b/2", "b/1", "a"])
        #expect(try await keys("--sort", "size", in: folder) == ["a", "b/2", "b/1", "large"])
        #expect(try await keys("--sort", "size", "--limit", "2", in: folder) == ["a", "b/2"])
        #expect(try await keys("--sort", "written", "--limit", "1", in: folder) == ["b/2"])
        #expect(try await keys("--prefix", "b/", in: folder) == ["b/1", "b/2"])
        #expect(try await keys("--prefix", "622f", "--hex", in: folder) == ["b/1", "b/2"])
        #expect(try await keys("--tag", "blue", in: folder) == ["a", "b/1"])
        #expect(try await keys("--larger-than", "1k", in: folder) == ["b/1", "large"])
        #expect(try await keys("--older-than", "1h", in: folder) == ["b/2"])
        #expect(try await keys("--pinned", in: folder) == ["b/1"])
        #expect(try await keys("--pinned", "--prefix", "a", in: folder).isEmpty)
    }

    @Test func expiredEntriesAreStillListed() async throws {
        let folder = try await ToolFolder()
        #expect(try await keys("--expired", in: folder).isEmpty)
        try await folder.expire(["a"])
        #expect(try await keys("--expired", in: folder) == ["a"])
        #expect(try await keys(in: folder).count == 4)
        #expect(try await keys("--expired", in: folder) == ["a"])
    }

    @Test func theFieldsOfAnEntryAreStable() async throws {
        let expires = Date(timeIntervalSince1970: 4_000_000_000)
        let entry = CacheEntry(
            body: Data("body".utf8), metadata: ["etag": "\"x\"", "a": "b"], expires: expires, tags: ["t", "s"],
            pinned: true, written: Date(timeIntervalSince1970: 1_000_000_000))
        let folder = try await ToolFolder([(CacheKey(bytes: [0xff]), entry)])
        let result = await Tool.result("list", folder.path, "--json")
        #expect(
            result.text == """
                {
                  "folder": "\(folder.path)",
                  "count": 1,
                  "bytes": 4,
                  "entries": [
                    {
                      "key": null,
                      "keyHex": "ff",
                      "size": 4,
                      "written": "2001-09-09T01:46:40Z",
                      "expires": "2096-10-02T07:06:40Z",
                      "pinned": true,
                      "tags": [
                        "s",
                        "t"
                      ],
                      "metadata": {
                        "a": "b",
                        "etag": "\\"x\\""
                      }
                    }
                  ]
                }

                """)
    }

    @Test func theTableIsForPeople() async throws {
        let now = Date(timeIntervalSince1970: 4_000_000_000)
        let folder = try await ToolFolder([
            (
                "users/1",
                CacheEntry(body: Data(count: 1234), expires: now + 7200, tags: ["users", "a"], written: now - 60)
            ),
            (CacheKey(bytes: [1, 2]), CacheEntry(body: Data(count: 5), pinned: true, written: now)),
            (CacheKey(String(repeating: "x", count: 100)), CacheEntry(body: Data(), written: now - 864_000)),
        ])
        let result = await Tool.result("list", folder.path, "--limit", "2", now: now)
        #expect(
            result.text == """
                KEY        SIZE   WRITTEN  EXPIRES  PINNED  TAGS
                users/1  1.2 kB  60 s ago   in 2 h          a, users
                0x0102      5 B       now    never  yes

                2 of 3 entries, 1.2 kB

                """)
        let long = await Tool.result("list", folder.path, "--prefix", "x", now: now)
        #expect(long.lines[1].hasPrefix(String(repeating: "x", count: 30) + "…" + String(repeating: "x", count: 29)))
        let terminal = await Tool.result("list", folder.path, isTerminal: true, now: now)
        #expect(terminal.text.hasPrefix("\u{1b}[1mKEY"))
    }

    @Test func nothingIsSaidAndCoded() async throws {
        let folder = try await ToolFolder([])
        let text = await Tool.result("list", folder.path)
        #expect(text.code == .nothing)
        #expect(text.output.isEmpty)
        #expect(text.errors == "no entry matches.\n")
        let json = await Tool.result("list", folder.path, "--json")
        #expect(json.code == .nothing)
        #expect(try json.document["count"] as? Int == 0)
        #expect(json.errors.isEmpty)
    }
}

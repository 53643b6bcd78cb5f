import Foundation
import Testing

@testable import TangoCache

/// The removal of all entries whose keys begin with a prefix, such as those of a URL.
@Suite(.timeLimit(.minutes(20)))
struct PrefixTests {
    enum Kind: CaseIterable, Sendable {
        case memory, disk, tiered
    }

    private let folder = ScratchFolder()

    private func open(_ kind: Kind) throws -> any CacheStore {
        let disk = kind == .memory ? nil : try DiskStore(directory: folder.url, limits: .unlimited)
        let memory = MemoryStore(limits: CacheLimits())
        guard let disk else { return memory }
        return kind == .disk ? disk : TieredStore(memory: memory, over: disk)
    }

    private func close(_ store: any CacheStore) async {
        await ((store as? TieredStore)?.backing as? DiskStore ?? store as? DiskStore)?.close()
    }

    private static func key(_ number: Int, _ user: String = "anyone") -> CacheKey {
        "http https://example.com/items/\(number)\n\(user)"
    }

    @Test(arguments: Kind.allCases) func onlyTheEntriesOfAURLAreRemoved(_ kind: Kind) async throws {
        let store = try open(kind)
        let urls = ["http a/1", "http a/1?", "http a/11", "http a/", "http a/1\u{0}"]
        let keys = urls.flatMap { url in ["\n", "\nanyone", "\nuser=2", "\nuser=2\nbody"].map { url + $0 } }
        for key in keys + ["http a/1"] { try await store.set(CacheEntry(body: Data(key.utf8)), for: CacheKey(key)) }
        // A replaced entry is still found, and a removed one is not.
        try await store.set(CacheEntry(body: Data("new".utf8)), for: "http a/1\nanyone")
        try await store.remove("http a/1\n")
        #expect(try await store.remove(prefix: "http a/1\nuser=2\n") == 1)
        #expect(try await store.remove(prefix: "http a/1\n") == 2)
        #expect(try await store.remove(prefix: "http a/1\n") == 0)
        for key in keys + ["http a/1"] {
            #expect(try await (store.get(CacheKey(key)) == nil) == key.hasPrefix("http a/1\n"), "\(key)")
        }
        await close(store)
    }

    /// So a large store needs no more time than a small one.
    @Test func entriesOfAURLAreFoundByAnIndex() async throws {
        let store = try DiskStore(directory: folder.url, limits: .unlimited)
        try await store.set(CacheEntry(body: Data(count: 20)), for: Self.key(1))
        await store.close()
        let database = try Database(folder.path + "/index/entries.sqlite", .reader, timeout: 1000)
        let plan = try database.statement(
            """
            EXPLAIN QUERY PLAN
            SELECT id FROM entry WHERE substr(key, 1, instr(key, x'0a')) = ? AND instr(key, x'0a') > 0
            """)
        var lines: [String] = []
        while try plan.step() { lines.append(String(decoding: plan.bytes(3), as: UTF8.self)) }
        #expect(
            lines.count == 1 && lines.allSatisfy { $0.hasPrefix("SEARCH") && $0.contains("entry_line") }, "\(lines)")
    }
}

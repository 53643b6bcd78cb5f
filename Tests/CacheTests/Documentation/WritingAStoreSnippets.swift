import CacheConformance
import Foundation
import TangoCache
import Testing

/// The snippets of the article on writing a store, and of the conformance check.
@Suite struct WritingAStoreSnippets {
    @Test func theStoreKeepsTheContract() async throws {
        try await CacheStoreConformance.check { DictionaryStore() }
    }

    @Test func aSealedStoreKeepsTheContract() async throws {
        try await CacheStoreConformance.check { SealedStore(base: DictionaryStore(), sealer: ToySealer(secret: 0x5a)) }
    }

    @Test func sealedContentIsNotReadable() async throws {
        let base = DictionaryStore()
        let store = SealedStore(base: base, sealer: ToySealer(secret: 0x5a))
        try await store.set(CacheEntry(body: Data("secret".utf8), metadata: ["secret": "secret"]), for: "a")
        let sealed = try #require(try await base.get("a"))
        #expect(sealed.body.range(of: Data("secret".utf8)) == nil)
        #expect(sealed.metadata == [:])
    }

    @Test func anEntryUnderAnotherKeyIsNotOpened() async throws {
        let base = DictionaryStore()
        let store = SealedStore(base: base, sealer: ToySealer(secret: 0x5a))
        try await store.set(CacheEntry(body: Data("secret".utf8)), for: "a")
        try await base.set(try #require(try await base.get("a")), for: "b")
        await #expect(throws: CacheError.self) { try await store.get("b") }
    }

    @Test func aStoreThatMayFailToOpenKeepsTheContract() async throws {
        try await CacheStoreConformance.check { try MyStore() }
    }
}

actor DictionaryStore: CacheStore {
    private var kept: [CacheKey: CacheEntry] = [:]

    func get(_ key: CacheKey) async throws -> CacheEntry? {
        guard let entry = kept[key] else { return nil }
        if let expires = entry.expires, expires <= Date() { return nil }
        return entry
    }

    func set(_ entry: CacheEntry, for key: CacheKey) async throws {
        try entry.validate(for: key)
        kept[key] = entry
        if entry.written == nil { kept[key]?.written = Date() }
    }

    func remove(_ key: CacheKey) async throws {
        kept[key] = nil
    }

    func removeAll(progress: @escaping @Sendable (CacheProgress) -> Void) async throws {
        let count = kept.count
        kept.removeAll()
        progress(CacheProgress(removed: count, total: count))
    }

    nonisolated func entries() -> CacheEntries {
        CacheEntries { CacheEntries.Page(await self.items) }
    }

    private var items: [CacheItem] {
        kept.map { key, entry in CacheItem(key: key, entry: entry) }
    }
}

protocol Sealer: Sendable {
    func seal(_ data: Data, for key: CacheKey) throws -> Data
    func open(_ data: Data, for key: CacheKey) throws -> Data
}

final class SealedStore<Base: CacheStore>: CacheStore {
    let base: Base
    let sealer: any Sealer

    init(base: Base, sealer: any Sealer) {
        self.base = base
        self.sealer = sealer
    }

    private struct Content: Codable {
        var metadata: [String: String]
        var body: Data
    }

    func get(_ key: CacheKey) async throws -> CacheEntry? {
        guard var entry = try await base.get(key) else { return nil }
        let content = try PropertyListDecoder().decode(Content.self, from: sealer.open(entry.body, for: key))
        (entry.metadata, entry.body) = (content.metadata, content.body)
        return entry
    }

    func set(_ entry: CacheEntry, for key: CacheKey) async throws {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        let content = try encoder.encode(Content(metadata: entry.metadata, body: entry.body))
        var sealed = entry
        (sealed.metadata, sealed.object) = ([:], nil)
        sealed.body = try sealer.seal(content, for: key)
        try await base.set(sealed, for: key)
    }

    func remove(_ key: CacheKey) async throws { try await base.remove(key) }

    func removeAll(progress: @escaping @Sendable (CacheProgress) -> Void) async throws {
        try await base.removeAll(progress: progress)
    }

    func entries() -> CacheEntries {
        CacheEntries { [self] in
            var items: [CacheItem] = []
            for try await item in base.entries() {
                if let entry = try await get(item.key) { items.append(CacheItem(key: item.key, entry: entry)) }
            }
            return CacheEntries.Page(items)
        }
    }
}

extension SealedStore {
    func remove(tag: String) async throws -> Int { try await base.remove(tag: tag) }
    func remove(prefix: CacheKey) async throws -> Int { try await base.remove(prefix: prefix) }
    func remove(olderThan age: Duration) async throws -> Int { try await base.remove(olderThan: age) }
    func removeMany(_ keys: [CacheKey]) async throws { try await base.removeMany(keys) }
    func statistics() async throws -> CacheStatistics { try await base.statistics() }
}

/// Obscures bytes. It shows the use of a sealer and encrypts nothing.
private struct ToySealer: Sealer {
    let secret: UInt8

    func seal(_ data: Data, for key: CacheKey) throws -> Data {
        Data((key.bytes + [0]).map { $0 ^ secret }) + Data(data.map { $0 ^ secret })
    }

    func open(_ data: Data, for key: CacheKey) throws -> Data {
        let seal = (key.bytes + [0]).map { $0 ^ secret }
        guard data.starts(with: seal) else { throw CacheError(.damaged, "The seal is not that of the key.") }
        return Data(data.dropFirst(seal.count).map { $0 ^ secret })
    }
}

/// A store whose initialiser may throw.
private final class MyStore: CacheStore {
    private let store = DictionaryStore()

    init() throws {}

    func get(_ key: CacheKey) async throws -> CacheEntry? { try await store.get(key) }
    func set(_ entry: CacheEntry, for key: CacheKey) async throws { try await store.set(entry, for: key) }
    func remove(_ key: CacheKey) async throws { try await store.remove(key) }
    func removeAll(progress: @escaping @Sendable (CacheProgress) -> Void) async throws {
        try await store.removeAll(progress: progress)
    }
    func entries() -> CacheEntries { store.entries() }
}

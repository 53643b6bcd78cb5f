import Foundation
import TangoCache
import Testing

/// The default implementations for a store with five members. Other tests check its contract.
@Suite struct CacheStoreDefaultsTests {
    private let store = CountingStore()

    @Test func manyEntriesAreReadOneAfterTheOther() async throws {
        try await store.setMany(["a": CacheEntry(body: Data([1])), "b": CacheEntry(body: Data([2]))])
        let found = try await store.getMany(["b", "c", "a", "b"])
        #expect(found.map { $0?.body } == [Data([2]), nil, Data([1]), Data([2])])
        #expect(store.calls.value.suffix(4) == ["get b", "get c", "get a", "get b"])
    }

    @Test func statisticsAreCountedFromTheList() async throws {
        try await store.set(CacheEntry(body: Data(count: 10), pinned: true), for: "a")
        try await store.set(CacheEntry(body: Data(count: 5)), for: "b")
        let statistics = try await store.statistics()
        #expect(statistics == CacheStatistics(count: 2, bytes: 15, pinnedCount: 1, pinnedBytes: 10))
    }

    @Test func groupsAreRemovedFromTheList() async throws {
        for key in ["a/1", "a/2", "b"] as [CacheKey] {
            try await store.set(CacheEntry(body: Data(), tags: ["\(key)"]), for: key)
        }
        #expect(try await store.remove(prefix: "a/") == 2)
        #expect(try await store.remove(tag: "b") == 1)
        #expect(Set(store.calls.value.filter { $0.hasPrefix("remove") }) == ["remove a/1", "remove a/2", "remove b"])
    }

    @Test(arguments: [(Duration.seconds(3_000), 2), (.milliseconds(4_000_500), 1), (.seconds(10_000), 0), (.zero, 3)])
    func agesAreCountedBackFromNow(_ age: Duration, _ removed: Int) async throws {
        for (key, seconds) in [("a", 5_000.0), ("b", 3_600), ("c", 60)] {
            let written = Date(timeIntervalSinceNow: -seconds)
            try await store.set(CacheEntry(body: Data(), written: written), for: CacheKey(key))
        }
        #expect(try await store.remove(olderThan: age) == removed)
    }

    @Test func aWriterSetsTheEntryWhenItCommits() async throws {
        let writer = try await store.writer(for: "a")
        try await writer.write(Data([1]))
        #expect(store.calls.value == [])
        try await writer.commit()
        #expect(store.calls.value == ["set a"])
    }

    @Test func aReaderReadsTheEntryAtOnce() async throws {
        try await store.set(CacheEntry(body: Data([1, 2])), for: "a")
        let reader = try #require(try await store.reader(for: "a"))
        try await store.remove("a")
        var portions = reader.makeAsyncIterator()
        #expect(try await portions.next() == Data([1, 2]))
        #expect(try await store.reader(for: "a")?.item.key == nil)
    }

    @Test func errorsOfTheFiveMembersAreThrown() async throws {
        store.isBroken.change { $0 = true }
        await #expect(throws: CacheError.self) { try await store.getMany(["a"]) }
        await #expect(throws: CacheError.self) {
            try await store.setMany([(key: "a", entry: CacheEntry(body: Data()))])
        }
        await #expect(throws: CacheError.self) { try await store.removeMany(["a"]) }
        await #expect(throws: CacheError.self) { try await store.remove(tag: "a") }
        await #expect(throws: CacheError.self) { try await store.statistics() }
        await #expect(throws: CacheError.self) { try await store.reader(for: "a") }
    }
}

/// Records which of the five members are called.
private final class CountingStore: CacheStore {
    let calls = Guarded<[String]>([])
    let isBroken = Guarded(false)
    private let store = ActorStore()

    func get(_ key: CacheKey) async throws -> CacheEntry? {
        try call("get \(key)")
        return await store.get(key)
    }

    func set(_ entry: CacheEntry, for key: CacheKey) async throws {
        try call("set \(key)")
        try await store.set(entry, for: key)
    }

    func remove(_ key: CacheKey) async throws {
        try call("remove \(key)")
        await store.remove(key)
    }

    func removeAll(progress: @escaping @Sendable (CacheProgress) -> Void) async throws {
        try call("removeAll")
        await store.removeAll(progress: progress)
    }

    func entries() -> CacheEntries {
        CacheEntries { [isBroken, store] in
            if isBroken.value { throw CacheError(.busy, "Not now.") }
            return CacheEntries.Page([]) {
                var items: [CacheItem] = []
                for try await item in store.entries() { items.append(item) }
                return CacheEntries.Page(items)
            }
        }
    }

    private func call(_ name: String) throws {
        if isBroken.value { throw CacheError(.busy, "Not now.") }
        calls.change { $0.append(name) }
    }
}

import Foundation
import Testing

@testable import TangoCache

/// A store with a limit of 0 reports this limit and not pinned entries.
@Suite struct LimitOfNoneTests {
    private func expectTooLarge(
        _ store: any CacheStore, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let error = await #expect(throws: CacheError.self, sourceLocation: sourceLocation) {
            try await store.set(CacheEntry(body: Data([1])), for: "a")
        }
        #expect(error?.code == .tooLarge, sourceLocation: sourceLocation)
        #expect(
            error?.message == "The limit of the store is 0 entries. Raise it to store entries.",
            sourceLocation: sourceLocation)
        #expect(try await store.statistics().count == 0, sourceLocation: sourceLocation)
    }

    @Test func aStoreInMemorySaysSo() async throws {
        try await expectTooLarge(MemoryStore(limits: CacheLimits(count: 0)))
    }

    @Test(arguments: [CacheLimits(bytes: -1), CacheLimits(count: -1), CacheLimits(age: .seconds(-1))])
    func aStoreInMemoryRefusesEntriesIfALimitIsNegative(_ limits: CacheLimits) async throws {
        let store = MemoryStore(limits: limits)
        let error = await #expect(throws: CacheError.self) {
            try await store.set(CacheEntry(body: Data([1])), for: "a")
        }
        #expect(error?.code == .invalid)
        #expect(error?.message.hasSuffix("is negative. For no limit, pass nil.") == true)
        #expect(try await store.get("a") == nil)
    }

    @Test func aStoreOnDiskSaysSo() async throws {
        let folder = ScratchFolder()
        let store = try DiskStore(
            directory: folder.url, limits: CacheLimits(count: 0), onEvent: { _ in })
        try await expectTooLarge(store)
        await #expect(throws: CacheError.self) { try await store.writer(for: "a").commit() }
        #expect(folder.files.filter { $0.hasPrefix("bodies") || $0.hasPrefix("temporary") } == [])
        await store.close()
    }

    @Test func pinnedEntriesAreBlamedWhereTheyTakeTheRoom() async throws {
        for store in [
            MemoryStore(limits: CacheLimits(count: 1)) as any CacheStore,
            try DiskStore(directory: ScratchFolder().url, limits: CacheLimits(count: 1), onEvent: { _ in }),
        ] {
            try await store.set(CacheEntry(body: Data(), pinned: true), for: "a")
            let error = await #expect(throws: CacheError.self) {
                try await store.set(CacheEntry(body: Data()), for: "b")
            }
            #expect(error?.code == .full)
        }
    }
}

import Foundation
import Testing

@testable import TangoCache

/// Memory forgets what other processes change in the backing store.
@Suite struct TieredForgettingTests {
    private static let changes: [CacheChange] = [.key("a"), .prefix(""), .prefix("a"), .tag("t"), .all]
    private static let others: [CacheChange] = [.key("b"), .prefix("b"), .tag("T")]

    private func entry(_ text: String) -> CacheEntry {
        CacheEntry(body: Data(text.utf8), tags: ["t"])
    }

    @Test(arguments: changes) func forgettingDropsEntriesFromMemoryOnly(_ change: CacheChange) async throws {
        let backing = GatedStore()
        let store = TieredStore(over: backing)
        try await store.set(entry("old"), for: "a")
        try backing.content.put(entry("new"), for: "a")
        store.forget(change)
        #expect(store.peek("a") == nil)
        #expect(try await store.get("a")?.text == "new")
        #expect(store.isAtRest)
    }

    @Test(arguments: others) func forgettingKeepsOtherEntries(_ change: CacheChange) async throws {
        let store = TieredStore(over: MemoryStore())
        try await store.set(entry("old"), for: "a")
        store.forget(change)
        #expect(store.peek("a")?.text == "old")
    }

    @Test(arguments: changes) func aLoadInFlightDoesNotBringBackWhatIsForgotten(_ change: CacheChange) async throws {
        let backing = GatedStore()
        let store = TieredStore(over: backing)
        try backing.content.put(entry("old"), for: "a")
        backing.hold("got a")
        async let early = store.get("a")
        await backing.arrival(at: "got a")
        try backing.content.put(entry("new"), for: "a")
        store.forget(change)
        backing.release("got a")
        #expect(try await early?.text == "old")
        #expect(store.peek("a") == nil)
        #expect(try await store.get("a")?.text == "new")
        #expect(store.isAtRest)
    }

    @Test(arguments: changes) func aWriteInFlightDoesNotBringBackWhatIsForgotten(_ change: CacheChange) async throws {
        let backing = GatedStore()
        let store = TieredStore(over: backing)
        backing.hold("did set a")
        async let write: Void = store.set(entry("old"), for: "a")
        await backing.arrival(at: "did set a")
        store.forget(change)
        backing.release("did set a")
        try await write
        #expect(store.peek("a") == nil)
        #expect(store.isAtRest)
    }

    @Test(arguments: changes) func memoryForgetsWhatTheBackingStoreReports(_ change: CacheChange) async throws {
        let backing = ReportingStore()
        let store = TieredStore(over: backing)
        try await store.set(entry("old"), for: "a")
        backing.source.add(change)
        while store.peek("a") != nil { await Task.yield() }
    }

    @Test func theFeedEndsWithTheStore() async throws {
        let ended = Guarded(false)
        let backing = ReportingStore { ended.change { $0 = true } }
        do {
            let store = TieredStore(over: backing)
            #expect(store.peek("a") == nil)
        }
        while !ended.value { await Task.yield() }
    }

    @Test func aSlowReaderIsToldToForgetEverything() async throws {
        let (changes, source) = CacheChanges.make()
        for number in 0..<5_000 { source.add(.key("\(number)")) }
        source.finish()
        var last: CacheChange?
        var count = 0
        for await change in changes {
            count += 1
            last = change
        }
        #expect(last == .all)
        #expect(count == 4_096)
    }
}

/// A store in memory whose test reports changes.
private final class ReportingStore: CacheStore {
    private let content = MemoryStore()
    private let all: CacheChanges
    let source: CacheChanges.Source

    init(onEnd: @escaping @Sendable () -> Void = {}) {
        (all, source) = CacheChanges.make(onEnd: onEnd)
    }

    func changes() -> CacheChanges? { all }
    func get(_ key: CacheKey) async throws -> CacheEntry? { content.peek(key) }
    func set(_ entry: CacheEntry, for key: CacheKey) async throws { try content.put(entry, for: key) }
    func remove(_ key: CacheKey) async throws { content.drop(key) }
    func removeAll(progress: @escaping @Sendable (CacheProgress) -> Void) async throws {
        try await content.removeAll(progress: progress)
    }
    func entries() -> CacheEntries { content.entries() }
}

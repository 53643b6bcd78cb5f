import Synchronization
import TangoCache
import Testing

@testable import TangoRequest
@testable import TestSupport

/// Writes and removals that the store refuses.
@Suite(.timeLimit(.minutes(20)))
struct FailingSharedStoreTests {
    /// A store whose writes or removals fail when the test says so.
    private final class Failing: StoreOverMemory {
        let memory = MemoryStore()
        let sets = Mutex(false)
        let removals = Mutex(false)
        private let error = CacheError(.diskFull, "full")

        func set(_ entry: CacheEntry, for key: CacheKey) async throws {
            if sets.withLock(\.self) { throw error }
            try memory.put(entry, for: key)
        }

        func remove(_ key: CacheKey) async throws {
            if removals.withLock(\.self) { throw error }
            memory.drop(key)
        }
    }

    @Test(arguments: [false, true])
    func entryIsNotServedIfItsReplacementFails(_ failsToRemove: Bool) async throws {
        let store = Failing()
        let shared = SharedStore.of(store)
        shared.change("a", StoreChange(.set(SharedStoreTests.entry("old"))))
        await shared.finish()
        store.sets.withLock { $0 = true }
        store.removals.withLock { $0 = failsToRemove }
        shared.change("a", StoreChange(.set(SharedStoreTests.entry("new"))))
        await shared.finish()
        #expect(try await shared.get("a") == nil)
        #expect((store.memory.peek("a") == nil) != failsToRemove)
        store.sets.withLock { $0 = false }
        store.removals.withLock { $0 = false }
        #expect(try await shared.get("a") == nil)
        shared.change("a", StoreChange(.set(SharedStoreTests.entry("newer"))))
        await shared.finish()
        #expect(SharedStoreTests.body(store.memory.peek("a")) == "newer")
        #expect(SharedStoreTests.body(try await shared.get("a")) == "newer")
    }

    /// The entry stays hidden, and is removed once the store can remove it.
    @Test(arguments: [CacheChange.prefix("p"), .tag("t"), .key("p1")])
    private func entryIsNotServedIfItsRemovalFails(_ scope: CacheChange) async throws {
        let store = Failing()
        let shared = SharedStore.of(store)
        var entry = SharedStoreTests.entry("old")
        entry.tags = ["t"]
        shared.change("p1", StoreChange(.set(entry)))
        shared.change("q", StoreChange(.set(SharedStoreTests.entry("other"))))
        await shared.finish()
        store.removals.withLock { $0 = true }
        await #expect(throws: CacheError.self) { try await shared.remove(scope) }
        for _ in 0..<3 { #expect(try await shared.get("p1") == nil) }
        #expect(SharedStoreTests.body(try await shared.get("q")) == "other")
        await shared.finish()
        #expect(store.memory.peek("p1") != nil)
        // Until then, writes fail. The pending removal would remove or hide their entries as well.
        let isStored = await withCheckedContinuation { continuation in
            shared.change("p1", StoreChange(.set(entry), report: { continuation.resume(returning: $0.error == nil) }))
        }
        #expect(!isStored)
        store.removals.withLock { $0 = false }
        #expect(try await shared.get("p1") == nil)
        await shared.finish()
        #expect(store.memory.peek("p1") == nil)
        shared.change("p1", StoreChange(.set(entry)))
        await shared.finish()
        #expect(SharedStoreTests.body(try await shared.get("p1")) == "old")
    }

    /// If too many removals have failed, all entries count as removed.
    @Test func numberOfFailedRemovalsIsBounded() {
        var queue = StoreQueue()
        for number in 0...StoreQueue.failedLimit {
            queue.sweep(.key(CacheKey("http \(number)"))) { _ in }
            guard case .sweep(let sweep, _)? = queue.takeEffects().steps.first else {
                Issue.record("Removal \(number) did not begin.")
                return
            }
            queue.swept(sweep, CacheError(.system, "scripted"))
        }
        #expect(queue.count == StoreChange.prefixes.count)
        guard case .known(nil) = queue.peek("http other") else {
            Issue.record("An entry may be served that should be removed.")
            return
        }
    }
}

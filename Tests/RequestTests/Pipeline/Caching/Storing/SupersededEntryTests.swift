import LoopbackServer
import Synchronization
import TangoCache
import Testing

@testable import TangoRequest
@testable import TestSupport

/// An entry that a newer response replaces is not served again, even if the newer response is never stored.
@Suite(.timeLimit(.minutes(20)))
struct SupersededEntryTests {
    /// The reason for which the store never has the newer response.
    enum Loss: CaseIterable {
        case tagIsRemovedWhileItWaits
        case tagIsRemovedWhileTheOlderOneIsRead
        case pendingRemovalOfItsTagFails
        case olderOneCannotBeRead
    }

    @Test(arguments: Loss.allCases) func olderEntryGoesWithTheNewerOne(_ loss: Loss) async throws {
        let gate = Gate()
        let store = FaultyStore(gate)
        let shared = SharedStore(store, waitLimit: .patient)
        let outcomes = Facts()
        var newer = SharedStoreTests.entry("newer")
        newer.tags = ["t"]
        let (new, mark) = (newer, shared.changes.begin())
        func change(_ kind: StoreChange.Kind) {
            let condition = ChangeLog.Guard(log: shared.changes, places: [.tag("t")], mark: mark)
            let report: StoreChange.Report = { outcome in
                switch outcome {
                case .done: outcomes.note("done")
                case .unchanged: outcomes.note("unchanged")
                case .failed: outcomes.note("failed")
                }
            }
            shared.change("a", StoreChange(kind, if: condition, report: report))
        }
        try store.memory.put(SharedStoreTests.entry("older"), for: "a")
        switch loss {
        case .tagIsRemovedWhileItWaits:
            store.held.withLock { $0 = "set" }
            shared.change("a", StoreChange(.set(SharedStoreTests.entry("older"))))
            try await gate.reached()
            change(.set(new))
            shared.remove(.tag("t")) { _ in }
            #expect(try await shared.get("a") == nil)
        case .tagIsRemovedWhileTheOlderOneIsRead:
            store.held.withLock { $0 = "get" }
            change(.edit { _ in .set(new) })
            try await gate.reached()
            shared.changes.note([.tag("t")])
            shared.remove(.tag("t")) { _ in }
        case .pendingRemovalOfItsTagFails:
            store.failing.withLock { $0 = "remove tag" }
            await #expect(throws: CacheError.self) { try await shared.remove(.tag("t")) }
            change(.set(new))
        case .olderOneCannotBeRead:
            store.failing.withLock { $0 = "get" }
            change(.edit { _ in .set(new) })
        }
        gate.open()
        await shared.finish()
        store.failing.withLock { $0 = "" }
        #expect(try await shared.get("a") == nil)
        #expect(store.memory.peek("a") == nil)
        let isFailure = loss == .pendingRemovalOfItsTagFails || loss == .olderOneCannotBeRead
        #expect(outcomes.all == [isFailure ? "failed" : "unchanged"])
    }

    /// A change that is too old leaves what a newer one has stored, also if both wait for the entry in the store.
    @Test func changeThatIsTooOldRemovesNothing() async throws {
        let gate = Gate()
        let store = FaultyStore(gate)
        let shared = SharedStore(store, waitLimit: .patient)
        let mark = shared.changes.begin()
        store.held.withLock { $0 = "get" }
        shared.change("a", StoreChange(.edit { _ in .set(SharedStoreTests.entry("newer")) }))
        try await gate.reached()
        let condition = ChangeLog.Guard(log: shared.changes, places: [.key("a")], mark: mark)
        shared.change("a", StoreChange(.edit { _ in .set(SharedStoreTests.entry("late")) }, if: condition))
        shared.changes.note([.key("a")])
        gate.open()
        await shared.finish()
        #expect(SharedStoreTests.body(store.memory.peek("a")) == "newer")
    }

    /// A store with one operation that waits at a gate, and one that fails.
    private final class FaultyStore: StoreOverMemory {
        let memory = MemoryStore()
        let held = Mutex("")
        let failing = Mutex("")
        private let gate: Gate

        init(_ gate: Gate) {
            self.gate = gate
        }

        private nonisolated(nonsending) func begin(_ operation: String) async throws {
            if held.withLock({ $0 == operation }) { try await gate.opened() }
            if failing.withLock({ $0 == operation }) { throw CacheError(.busy, "Not now.") }
        }

        func get(_ key: CacheKey) async throws -> CacheEntry? {
            try await begin("get")
            return memory.peek(key)
        }

        func set(_ entry: CacheEntry, for key: CacheKey) async throws {
            try await begin("set")
            try memory.put(entry, for: key)
        }

        func remove(tag: String) async throws -> Int {
            try await begin("remove tag")
            return memory.drop(tag: tag)
        }
    }
}

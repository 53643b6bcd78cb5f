import Foundation
import LoopbackServer
import Synchronization
import TangoCache
import TangoMeasuring
import TangoPromise
import Testing

@testable import TangoHTTP
@testable import TangoRequest
@testable import TestSupport

/// Stores with slow writes. Calls do not wait for them, and find the pending writes.
@Suite(.timeLimit(.minutes(20)))
struct SlowStoreTests: RepliesToKeep {
    @Test(arguments: [1, 20])
    func callsDoNotWaitForTheStore(_ count: Int) async throws {
        let store = HeldStore()
        let site = try HTTPCacheSite(store: store)
        site.origin.reply = streamed(count, also: Self.tag)
        let first = try await site.send()
        for _ in 0..<3 {
            let next = try await site.send()
            #expect(next.source.isCache)
            #expect(next.body == first.body)
        }
        #expect(site.origin.requests.count == 1)
        #expect(store.memory.entryCount == 0)
        store.gate.open()
        await site.client.finishStoring()
        await site.settle()
        #expect(store.memory.entryCount == (count == 1 ? 1 : 2))
        #expect(try await site.send().body == first.body)
        #expect(site.origin.requests.count == 1)
    }

    /// A stream ends with its last portion.
    @Test(arguments: [1, 20])
    func aStreamDoesNotWaitForTheStore(_ count: Int) async throws {
        let store = HeldStore()
        let site = try HTTPCacheSite(store: store)
        site.origin.reply = streamed(count)
        #expect(try await text(site.send(delivery: .stream)).utf8.count == count * Self.portion.utf8.count)
        #expect(store.memory.entryCount == 0)
        store.gate.open()
        await site.settle()
        #expect(try await site.send().source.isCache)
        #expect(site.origin.requests.count == 1)
    }

    @Test func revalidationDoesNotWaitForTheStore() async throws {
        let store = HeldStore()
        let site = try HTTPCacheSite(store: store)
        site.origin.reply = HTTPCacheOrigin.Reply(headers: Self.fresh + Self.tag, body: "a")
        _ = try await site.send()
        site.wait(4000)
        #expect(try await site.send().source == .validated)
        #expect(try await site.send().source.isCache)
        #expect(site.origin.requests.count == 2)
        store.gate.open()
        await site.settle()
        #expect(try await site.send().source.isCache)
    }

    @Test(arguments: ["PUT", "no-store", "HEAD"])
    func entriesBeingRemovedAreNotServed(_ change: String) async throws {
        let store = HeldStore()
        let site = try HTTPCacheSite(store: store)
        store.gate.open()
        site.origin.reply = HTTPCacheOrigin.Reply(headers: Self.fresh + Self.tag, body: "old")
        _ = try await site.send()
        await site.settle()
        #expect(store.memory.entryCount == 1)
        let gate = Gate()
        let slow = SlowStoreTests.Slowed(store.memory, gate)
        let other = try HTTPCacheSite(store: slow)
        switch change {
        case "PUT": _ = try await other.send("PUT")
        case "HEAD":
            other.origin.reply = HTTPCacheOrigin.Reply(headers: Self.fresh + [("ETag", "\"b\"")])
            _ = try await other.send("HEAD", "http://example.com/a", [("Cache-Control", "no-cache")])
        default:
            other.origin.reply = HTTPCacheOrigin.Reply(headers: [("Cache-Control", "no-store")])
            _ = try await other.send("GET", "http://example.com/a", [("Cache-Control", "no-cache")])
        }
        other.origin.reply = HTTPCacheOrigin.Reply(headers: Self.fresh, body: "new")
        for _ in 0..<3 { #expect(try await text(other.send()) == "new") }
        #expect(other.origin.requests.count == 2)
        gate.open()
        await other.settle()
        #expect(try await text(other.send()) == "new")
        #expect(other.origin.requests.count == 2)
    }

    /// A store in front of another, whose changes wait at a gate.
    final class Slowed: CacheStore {
        private let inner: MemoryStore
        private let gate: Gate

        init(_ inner: MemoryStore, _ gate: Gate) {
            self.inner = inner
            self.gate = gate
        }

        func get(_ key: CacheKey) async throws -> CacheEntry? { inner.peek(key) }

        func set(_ entry: CacheEntry, for key: CacheKey) async throws {
            try await gate.opened()
            try inner.put(entry, for: key)
        }

        func remove(_ key: CacheKey) async throws {
            try await gate.opened()
            inner.drop(key)
        }

        func removeAll(progress: @escaping @Sendable (CacheProgress) -> Void) async throws {
            try await gate.opened()
            inner.dropAll()
        }

        func entries() -> CacheEntries { inner.entries() }
    }

    @Test func storesDoNotWaitForEachOther() async throws {
        let slow = try HTTPCacheSite(store: HeldStore())
        slow.origin.reply = HTTPCacheOrigin.Reply(headers: Self.fresh)
        _ = try await slow.send()
        let fast = try HTTPCacheSite(store: BytesStore())
        fast.origin.reply = HTTPCacheOrigin.Reply(headers: Self.fresh)
        _ = try await fast.send()
        await fast.settle()
        #expect(try await fast.store.statistics().count == 1)
        (slow.store as? HeldStore)?.gate.open()
        await slow.settle()
    }

    @Test func shuttingDownWaitsForTheStore() async throws {
        let site = try Site()
        site.server.answer("/a", with: .text("a").header("Cache-Control", "max-age=86400"))
        let store = HeldStore()
        let client = Client(baseURL: site.server.url, cache: store)
        #expect(try await client.get("/a", as: String.self).value == "a")
        let facts = Facts()
        let closing = Task {
            await client.shutdown()
            facts.note("\(store.memory.entryCount)")
        }
        try await store.gate.reached()
        #expect(facts.all.isEmpty)
        store.gate.open()
        await closing.value
        #expect(facts.all == ["1"])
    }

    /// A response that finds no room in the queue is not cached.
    @Test func pendingWritesAreBounded() async throws {
        let store = HeldStore()
        let site = try HTTPCacheSite(store: store)
        let megabyte = String(repeating: "x", count: 1 << 20)
        site.origin.reply = HTTPCacheOrigin.Reply(headers: Self.fresh, body: megabyte)
        for number in 0..<100 { _ = try await site.send("GET", "http://example.com/\(number)") }
        #expect(site.explanations.all.contains { $0.notStored == .storeFailed })
        store.gate.open()
        await site.settle()
        let count = store.memory.entryCount
        #expect(count > 0 && count < 200)
        _ = try await site.send("GET", "http://example.com/0")
        _ = try await site.send("GET", "http://example.com/99")
        #expect(site.origin.requests.count == 101)
    }

    @Test func writesOfDeclaredPoliciesAreBounded() async throws {
        let store = HeldStore()
        let shared = SharedStore.of(store)
        let entry = CacheEntry(body: Data(count: 1 << 20 - StoreChange.cost(CacheEntry(body: Data()))))
        let facts = Facts()
        for number in 0..<40 {
            let change = StoreChange(.set(entry), report: { facts.note("\($0.error == nil)") })
            let isTaken = shared.change(CacheKey("\(number)"), change, cost: StoreChange.cost(entry))
            #expect(isTaken == (number < SharedStore.limit >> 20))
        }
        // The limit is reached to the byte.
        #expect(!shared.change("one byte", StoreChange(.set(CacheEntry(body: Data()))), cost: 1))
        // An entry larger than the whole limit is accepted if the queue is empty.
        store.gate.open()
        await shared.finish()
        #expect(store.memory.entryCount == SharedStore.limit >> 20)
        #expect(facts.all.count { $0 == "false" } == 40 - SharedStore.limit >> 20)
        let large = StoreChange(.set(CacheEntry(body: Data(count: SharedStore.limit + 1))))
        #expect(shared.change("large", large, cost: SharedStore.limit + 1))
        await shared.finish()
    }

    /// A write that finds no room in the queue removes the entry that it would have replaced.
    @Test func refusedWriteRemovesTheOlderEntry() async throws {
        let store = HeldStore()
        let shared = SharedStore.of(store)
        try store.memory.put(CacheEntry(body: Data("old".utf8)), for: "a")
        shared.change("b", StoreChange(.set(CacheEntry(body: Data(count: SharedStore.limit)))), cost: SharedStore.limit)
        #expect(!shared.change("a", StoreChange(.set(CacheEntry(body: Data("new".utf8)))), cost: 3))
        #expect(try await shared.get("a") == nil)
        store.gate.open()
        await shared.finish()
        #expect(store.memory.peek("a") == nil)
    }

    @Test func aResponseThatFindsNoRoomRemovesTheOlderOne() async throws {
        let store = HeldStore()
        let site = try HTTPCacheSite(store: store)
        site.origin.reply = HTTPCacheOrigin.Reply(headers: Self.fresh, body: "old")
        _ = try await site.send()
        let megabyte = String(repeating: "x", count: 1 << 20)
        site.origin.reply = HTTPCacheOrigin.Reply(headers: Self.fresh, body: megabyte)
        for number in 0..<20 { _ = try await site.send("GET", "http://example.com/\(number)") }
        _ = try await site.send("GET", "http://example.com/a", [("Cache-Control", "no-cache")])
        #expect(try await site.send().source == .network)
        store.gate.open()
        await site.settle()
    }

    @Test func removedWritesFreeTheirRoom() async throws {
        let store = HeldStore()
        let shared = SharedStore.of(store)
        let large = CacheEntry(body: Data(count: SharedStore.limit))
        #expect(shared.change("p1", StoreChange(.set(large)), cost: StoreChange.cost(large)))
        shared.remove(.prefix("p")) { _ in }
        #expect(shared.change("a", StoreChange(.set(CacheEntry(body: Data("new".utf8)))), cost: 3))
        store.gate.open()
        await shared.finish()
        #expect(store.memory.peek("a") != nil)
        #expect(store.memory.peek("p1") == nil)
    }

    @Test func anEditDuringARemovalDoesNotSeeTheRemovedEntry() async throws {
        let store = HeldStore()
        let shared = SharedStore.of(store)
        try store.memory.put(CacheEntry(body: Data("old".utf8)), for: "p1")
        shared.remove(.prefix("p")) { _ in }
        let facts = Facts()
        let edit = StoreChange.Kind.edit { entry in
            facts.note(entry == nil ? "nothing" : "old")
            return .keep
        }
        shared.change("p1", StoreChange(edit))
        #expect(facts.all == ["nothing"])
        store.gate.open()
        await shared.finish()
    }

    // MARK: Streams

    @Test func lookupWaitsForABodyThatIsBeingCommitted() async throws {
        let store = HeldStore()
        let site = try HTTPCacheSite(store: store)
        site.origin.reply = streamed(20)
        _ = try await text(site.send(delivery: .stream))
        async let next = site.send()
        try await store.gate.reached()
        store.gate.open()
        #expect(try await next.source.isCache)
        #expect(site.origin.requests.count == 1)
    }

    @Test func lookupWaitsUntilItsDeadline() async throws {
        let store = HeldStore()
        let site = try HTTPCacheSite(store: store, waitLimit: .milliseconds(20))
        site.origin.reply = streamed(20)
        _ = try await text(site.send(delivery: .stream))
        #expect(try await site.send().source == .network)
        #expect(site.origin.requests.count == 2)
        store.gate.open()
        await site.settle()
        #expect(try await site.send().source.isCache)
        // The replaced body is removed after the new one is stored. No function waits for that.
        while try await site.bodyKeys().count > 1 { await site.settle() }
        #expect(try await site.bodyKeys().count == 1)
    }

    /// A user signs out while the body of a response is written or committed.
    @Test(arguments: ["write", "commit"])
    func bodyOfAUserWhoHasSignedOutIsNotStored(_ held: String) async throws {
        let store = CommittingStore(holding: held)
        let site = try HTTPCacheSite(store: store, identity: "lovelace-\(held)")
        site.origin.reply = streamed(20)
        _ = try await text(site.send(delivery: .stream))
        try await store.gate.reached()
        let shared = SharedStore.of(store)
        async let signOut: Void = site.signOut()
        var isWaiting = false
        while !isWaiting, !store.began.all.contains("remove") {
            await Task.yield()
            shared.update { isWaiting = $0.sweeps.contains { $0.state == .waiting } }
        }
        store.gate.open()
        try await signOut
        #expect(store.memory.entryCount == 0)
        #expect(store.began.all == (held == "write" ? ["write", "remove"] : ["write", "commit", "remove"]))
    }

    /// A store that writes bodies in portions. The writes or the commits wait at a gate.
    private final class CommittingStore: StoreOverMemory {
        let memory = MemoryStore()
        let gate = Gate()
        /// The operations that have begun, without further writes.
        let began = Facts()
        private let held: String

        init(holding held: String) {
            self.held = held
        }

        fileprivate nonisolated(nonsending) func begin(_ operation: String) async throws {
            if began.all.last != operation { began.note(operation) }
            if held == operation { try await gate.opened() }
        }

        private struct Target: CacheWriter.Target {
            let store: CommittingStore
            let key: CacheKey
            let entry: CacheEntry

            func write(_ portion: Data) async throws { try await store.begin("write") }

            func commit() async throws {
                try await store.begin("commit")
                try store.memory.put(entry, for: key)
            }

            func abandon() {}
        }

        func writer(for key: CacheKey, entry: CacheEntry) async throws -> CacheWriter {
            CacheWriter(Target(store: self, key: key, entry: entry))
        }

        func remove(tag: String) async throws -> Int {
            try await begin("remove")
            return memory.drop(tag: tag)
        }
    }

    /// A store that hangs ends the recording. The reader goes on.
    @Test func readerIsNotBlockedByAHungStore() async throws {
        final class Hung: CacheWriter.Target {
            let gate: Gate
            init(_ gate: Gate) { self.gate = gate }
            func write(_ portion: Data) async throws { try await gate.opened() }
            func commit() async throws {}
            func abandon() {}
        }
        final class HungStore: CacheStore {
            let gate = Gate()
            func get(_ key: CacheKey) async throws -> CacheEntry? { nil }
            func set(_ entry: CacheEntry, for key: CacheKey) async throws {}
            func remove(_ key: CacheKey) async throws {}
            func removeAll(progress: @escaping @Sendable (CacheProgress) -> Void) async throws {}
            func entries() -> CacheEntries { MemoryStore().entries() }
            func writer(for key: CacheKey, entry: CacheEntry) async throws -> CacheWriter { CacheWriter(Hung(gate)) }
        }
        let store = HungStore()
        let shared = SharedStore.of(store, waitLimit: .milliseconds(4))
        let responseStore = ResponseStore(shared: shared, identity: Identity(nil))
        let recorder = BodyRecorder(responseStore, "a")
        for _ in 0..<4 { await recorder.add(Data(count: 1 << 20)) }
        #expect(recorder.count == 4 << 20)
        #expect((recorder.failure as? CacheError)?.code == .busy)
        store.gate.open()
        let facts = Facts()
        await recorder.end { facts.note($0 == nil ? "nothing" : "stored") }
        await responseStore.shared.finish()
        #expect(facts.all == ["nothing"])
    }
}

import Foundation
import LoopbackServer
import Synchronization
import TangoCache
import TangoPromise
import Testing

@testable import TangoRequest
@testable import TestSupport

/// Stores with a history, which refuse responses that another process has removed since they were requested.
@Suite(.timeLimit(.minutes(20)))
struct StoreMomentTests {
    /// A store in memory with the history that another process could have made.
    private final class HistoryStore: StoreOverMemory {
        let memory = MemoryStore()
        private let state = Mutex((moments: 0, removals: [Int]()))
        let failure: CacheError?
        /// The gates of the next writes.
        private let gates: Mutex<[Gate]>

        init(failure: CacheError? = nil, gates: Gate...) {
            self.failure = failure
            self.gates = Mutex(gates)
        }

        /// The number of moments that were taken.
        var moments: Int { state.withLock { $0.moments } }

        /// Removes everything, as another process does.
        func removeElsewhere() {
            state.withLock { $0.removals.append($0.removals.count) }
            memory.dropAll()
        }

        var hasHistory: Bool { true }

        func moment() async throws -> CacheMoment? {
            if let failure { throw failure }
            return state.withLock { state in
                state.moments += 1
                return CacheMoment("\(state.removals.count)")
            }
        }

        func set(
            _ entry: CacheEntry, for key: CacheKey, unlessRemovedSince moment: CacheMoment
        ) async throws -> Bool {
            try await gates.withLock { $0.isEmpty ? nil : $0.removeFirst() }?.opened()
            guard state.withLock({ moment.text == "\($0.removals.count)" }) else { return false }
            try memory.put(entry, for: key)
            return true
        }
    }

    private static let policies: [CachePolicy] = [.cacheElseNetwork, .http]

    private func site(_ store: any CacheStore) throws -> (LoopbackServer, Client) {
        let server = try LoopbackServer()
        server.answer { _ in .text("a").header("Cache-Control", "max-age=1000") }
        return (server, Client(baseURL: server.url, cache: store))
    }

    private func get(_ client: Client, _ policy: CachePolicy) async throws {
        _ = try await client.with { $0.cachePolicy = policy }.get("/item", as: String.self).value
        await client.finishStoring()
    }

    @Test(arguments: policies) func aRequestTakesOneMomentAndAHitNone(_ policy: CachePolicy) async throws {
        let store = HistoryStore()
        let (server, client) = try site(store)
        try await get(client, policy)
        #expect(server.requestCount == 1)
        for _ in 0..<3 { try await get(client, policy) }
        #expect(server.requestCount == 1)
        #expect(store.moments == 1)
        server.stop()
    }

    @Test(arguments: policies, [false, true])
    func aResponseThatWasRemovedElsewhereIsNotCached(_ policy: CachePolicy, _ isTiered: Bool) async throws {
        let backing = HistoryStore()
        let store: any CacheStore = isTiered ? TieredStore(over: backing) : backing
        let (server, client) = try site(store)
        server.answer { _ in
            backing.removeElsewhere()
            return .text("a").header("Cache-Control", "max-age=1000")
        }
        for count in 1...2 {
            try await get(client, policy)
            #expect(server.requestCount == count)
            #expect(backing.memory.entryCount == 0)
            #expect((store as? TieredStore)?.memory.entryCount ?? 0 == 0)
        }
        server.stop()
    }

    @Test(arguments: policies) func withoutAMomentNothingIsCached(_ policy: CachePolicy) async throws {
        let store = HistoryStore(failure: CacheError(.busy, "The server is gone."))
        let (server, client) = try site(store)
        for count in 1...2 {
            try await get(client, policy)
            #expect(server.requestCount == count)
            #expect(store.memory.entryCount == 0)
        }
        server.stop()
    }

    @Test(arguments: policies) func readersWaitUntilAnEntryIsWrittenOrRefused(_ policy: CachePolicy) async throws {
        let gate = Gate()
        let store = HistoryStore(gates: gate)
        let (server, client) = try site(store)
        let user = client.with { $0.cachePolicy = policy }
        _ = try await user.get("/item", as: String.self).value
        let second = user.get("/item", as: String.self)
        store.removeElsewhere()
        gate.open()
        _ = try await second.value
        #expect(server.requestCount == 2)
        await client.finishStoring()
        server.stop()
    }

    /// A reader that waits for the second of two writes must not get the entry of the first.
    @Test func readersWaitForTheNewestEntry() async throws {
        let (first, second) = (Gate(), Gate())
        let shared = SharedStore.of(HistoryStore(gates: first, second), waitLimit: .patient)
        func write(_ text: String) async {
            let moment = await shared.moment(for: nil, tags: [])
            let condition = ChangeLog.Guard(log: shared.changes, places: [], mark: 0, moment: moment)
            shared.change("a", StoreChange(.set(CacheEntry(body: Data(text.utf8))), if: condition))
        }
        await write("old")
        try await first.reached()
        await write("new")
        async let entry = shared.get("a")
        while waiterCount(of: shared) == 0 { await Task.yield() }
        first.open()
        try await second.reached()
        #expect(waiterCount(of: shared) == 1)
        second.open()
        #expect(try await entry?.body == Data("new".utf8))
    }

    private func waiterCount(of shared: SharedStore) -> Int {
        var count = 0
        shared.update { count = $0.waiters.count }
        return count
    }

    @Test func callsThatShareATransferUseItsMoment() async throws {
        let store = HistoryStore()
        let (server, client) = try site(store)
        let gate = Gate()
        server.answer { _ in
            try await gate.opened()
            return .text("a")
        }
        let user = client.with {
            // Such a call joins a transfer at once, because it does not read the store.
            $0.cachePolicy = .reload
            $0.uniqueness = .join
        }
        let first = user.get("/item", as: String.self)
        _ = try await server.next()
        store.removeElsewhere()
        let second = user.get("/item", as: String.self)
        gate.open()
        _ = try await (first.value, second.value)
        await client.finishStoring()
        #expect(server.requestCount == 1)
        #expect(store.memory.entryCount == 0)
        server.stop()
    }

    @Test func anEntryThatWasRemovedElsewhereIsNotRestoredByAnEdit() async throws {
        let backing = HistoryStore()
        let store = TieredStore(over: backing)
        let shared = SharedStore.of(store)
        try await store.set(CacheEntry(body: Data("old".utf8)), for: "a")
        backing.removeElsewhere()
        #expect(store.peek("a") != nil)
        shared.change("a", StoreChange(.edit { entry in entry.map { .set($0) } ?? .keep }))
        await shared.finish()
        #expect(backing.memory.entryCount == 0)
    }

    @Test func mergedChangesUseTheOlderMoment() async throws {
        let gate = Gate()
        let store = HistoryStore(gates: gate)
        let shared = SharedStore.of(store)
        let old = await shared.moment(for: "a", tags: [])
        store.removeElsewhere()
        let new = await shared.moment(for: "a", tags: [])
        for (moment, text) in [(old, "old"), (new, "new")] {
            let condition = ChangeLog.Guard(log: shared.changes, places: [], mark: 0, moment: moment)
            shared.change(
                "a",
                StoreChange(
                    .edit { entry in
                        .set(CacheEntry(body: (entry?.body ?? Data()) + Data(text.utf8)))
                    }, if: condition))
        }
        gate.open()
        await shared.finish()
        #expect(try await store.get("a") == nil)
    }

    @Test func removalsOfThisProcessComeBeforeTheMoment() async throws {
        let folder = ScratchFiles()
        let store = try DiskStore(directory: folder.url.appending(path: "store"))
        // A moment that did not wait long enough for the removals before it would prevent the change after it.
        let shared = SharedStore(store, waitLimit: .patient)
        for number in 0..<50 {
            shared.remove(.prefix("a")) { _ in }
            shared.change("a/1", StoreChange(.remove))
            let moment = await shared.moment(for: "a/1", tags: [])
            let condition = ChangeLog.Guard(log: shared.changes, places: [], mark: 0, moment: moment)
            shared.change("a/1", StoreChange(.set(CacheEntry(body: Data("\(number)".utf8))), if: condition))
            await shared.finish()
            #expect(try await store.get("a/1")?.body == Data("\(number)".utf8))
        }
        await store.close()
    }

    @Test func theOlderOfTwoMomentsIsTheOneThatWasTakenFirst() {
        let first = StoreMoment.taken(CacheMoment("1"), number: 1)
        let second = StoreMoment.taken(CacheMoment("2"), number: 2)
        let unknown = StoreMoment.unknown(CancellationError())
        let rows: [(StoreMoment?, StoreMoment?, String?)] = [
            (first, second, "1"), (second, first, "1"), (first, nil, "1"), (nil, second, "2"), (.absent, first, "1"),
            (first, .absent, "1"), (nil, nil, nil), (.absent, nil, nil),
        ]
        for (one, other, text) in rows { #expect(StoreMoment.older(one, other)?.moment?.text == text) }
        for (one, other) in [(unknown, first), (first, unknown), (nil, unknown), (unknown, nil)]
            as [(StoreMoment?, StoreMoment?)]
        {
            #expect(StoreMoment.older(one, other)?.error is CancellationError)
        }
    }

    @Test func aStoreInMemoryTakesNoMoments() async {
        let shared = SharedStore.of(MemoryStore())
        #expect(!shared.hasHistory)
        let moment = await shared.moment(for: "a", tags: [])
        if case .absent = moment {} else { Issue.record("\(moment)") }
    }
}

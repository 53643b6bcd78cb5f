import Foundation
import LoopbackServer
import Synchronization
import TangoCache
import TangoMeasuring
import TangoPromise
import Testing

@testable import TangoRequest
@testable import TestSupport

/// Cancellation at each point of a call, and refreshes without a consumer.
@Suite(.timeLimit(.minutes(20)))
struct CacheCancellingTests {
    /// A store whose reads and writes wait at gates.
    private final class HeldStore: StoreOverMemory {
        let memory = MemoryStore()
        let reading = Gate()
        let writing = Gate()

        func get(_ key: CacheKey) async throws -> CacheEntry? {
            try await reading.opened()
            return memory.peek(key)
        }

        func set(_ entry: CacheEntry, for key: CacheKey) async throws {
            try await writing.opened()
            try memory.put(entry, for: key)
        }
    }

    private func heldSite() throws -> (CacheSite, HeldStore, Client) {
        let site = try CacheSite()
        let store = HeldStore()
        return (site, store, site.client(store: store))
    }

    @Test(arguments: [CachePolicy.cacheElseNetwork, .cacheThenNetwork, .cacheOnly])
    func callIsCancelledWhileTheStoreIsRead(_ policy: CachePolicy) async throws {
        let (site, store, client) = try heldSite()
        let call = GetItem(client, policy).start { _, _ in
            site.facts.note("callback")
        } failure: { _, _ in
            site.facts.note("callback")
        }
        try await store.reading.reached()
        call.cancel()
        #expect(await isCancelled(call.promise))
        store.reading.open()
        await site.facts.reached("finished cancelled")
        #expect(site.facts.all == ["willStart", "finished cancelled"])
        #expect(site.count == 0)
    }

    @Test func callIsCancelledWhileItFallsBackOnTheCache() async throws {
        let (site, store, client) = try heldSite()
        site.server.answer("/item", with: .item(1).status(503))
        let call = GetItem(client, .networkElseCache).start()
        let promise = call.promise
        try await store.reading.reached()
        call.cancel()
        #expect(await isCancelled(promise))
        store.reading.open()
        #expect(call.state == .finished(.cancelled))
        #expect(store.memory.entryCount == 0)
    }

    @Test(arguments: [Fault.Moment.response, .responseHead, .responseBody])
    func callIsCancelledWhileTheServerResponds(_ moment: Fault.Moment) async throws {
        let site = try CacheSite()
        let gate = Gate()
        site.server.answer("/item", with: .item(1))
        let client = site.client()
        _ = try await GetItem(client, .reload).promise.value
        site.server.answer("/item", with: .item(2).held(by: gate, at: moment))
        for policy: CachePolicy in [.reload, .networkElseCache] {
            let call = GetItem(client, policy).start()
            try await gate.reached(count: policy == .reload ? 1 : 2)
            call.cancel()
            #expect(await isCancelled(call.promise))
            #expect(try await GetItem(client, .cacheOnly).cached()?.id == 1)
        }
    }

    @Test func callIsCancelledWhileTheOutputIsMade() async throws {
        let site = try CacheSite()
        let gate = Gate()
        site.server.answer("/item", with: .item(1).held(by: gate))
        final class Slow: Fetch<Int> {
            override var cachePolicy: CachePolicy { .reload }
        }
        let (facts, client) = (site.facts, site.client())
        let call = Mutex<Call<Int>?>(nil)
        let request = Slow(
            .get("/item"), of: client,
            by: Serializer { response in
                call.withLock { $0 }?.cancel()
                facts.note("made")
                return response.body.count
            })
        let started = request.start()
        call.withLock { $0 = started }
        gate.open()
        #expect(await isCancelled(started.promise))
        await facts.reached("made")
        await client.shutdown()
        #expect(try await site.store.statistics().count == 0)
        #expect(!facts.all.contains("stored"))
    }

    @Test func callsDoNotWaitForWrites() async throws {
        let (site, store, client) = try heldSite()
        store.reading.open()
        site.server.answer("/item", with: .item(1))
        for _ in 0..<3 { #expect(try await GetItem(client, .cacheElseNetwork).promise.value.id == 1) }
        #expect(site.count == 1)
        #expect(store.memory.entryCount == 0)
        async let closed: Void = client.shutdown()
        store.writing.open()
        await closed
        #expect(store.memory.entryCount == 1)
    }

    @Test func refreshContinuesWithoutAConsumer() async throws {
        let site = try CacheSite()
        let gate = Gate()
        site.server.answer("/item", with: .item(1))
        let client = site.client()
        _ = try await GetItem(client, .reload).promise.value
        site.server.answer("/item", with: .item(2).held(by: gate))
        func first() async throws -> Int {
            try await GetItem(client, .cacheThenNetwork).start(lifetime: .unmanaged).value.id
        }
        #expect(try await first() == 1)
        try await gate.reached()
        gate.open()
        await site.facts.reached { $0.count { $0 == "stored" } == 2 }
        #expect(try await GetItem(client, .cacheOnly).cached()?.id == 2)
    }

    @Test func refreshesAreBounded() async throws {
        let site = try CacheSite()
        let gate = Gate()
        site.server.answer("/item", with: .item(1))
        let client = site.client()
        _ = try await GetItem(client, .reload).promise.value
        site.server.answer("/item", with: .item(2).held(by: gate))
        let calls = (0..<50).map { _ in GetItem(client, .cacheThenNetwork).start() }
        for call in calls { #expect(try await call.value.id == 1) }
        try await gate.reached(count: RefreshLimiter.limit)
        // A waiting refresh and a refresh in flight are cancelled. The next refresh takes the free place.
        calls[49].cancel()
        calls[0].cancel()
        try await gate.reached(count: RefreshLimiter.limit + 1)
        #expect(site.facts.all.count { $0 == "refreshing" } == RefreshLimiter.limit + 1)
        gate.open()
        for call in calls.dropFirst().dropLast() { for try await _ in call.values {} }
        #expect(site.count == 50)
        #expect(client.activeCalls == 0)
        // All slots are free again.
        let later = (0..<RefreshLimiter.limit).map { _ in GetItem(client, .cacheThenNetwork).start() }
        for call in later { for try await _ in call.values {} }
        #expect(client.activeCalls == 0)
    }

    final class JoiningItem: GetItem {
        override var uniqueness: Uniqueness { .join }
    }

    @Test(arguments: [0, RefreshLimiter.limit])
    func anyNumberOfJoiningRefreshesSharesATransfer(others: Int) async throws {
        let site = try CacheSite()
        let client = site.client()
        let gates = ["/before": Gate(), "/item": Gate(), "/after": Gate()]
        for (path, gate) in gates {
            site.server.answer(path, with: .item(1))
            // Decoded objects are cached for each type of request, so each later call finds one at once.
            let isJoined = path == "/item"
            let first = isJoined ? JoiningItem(client, .reload) : GetItem(client, .reload, .get(path))
            _ = try await first.promise.value
            site.server.answer(path, with: .item(2).held(by: gate))
        }
        let before = (0..<others).map { _ in GetItem(client, .cacheThenNetwork, .get("/before")).start() }
        let calls = (0..<200).map { _ in JoiningItem(client, .cacheThenNetwork).start() }
        let after = GetItem(client, .cacheThenNetwork, .get("/after")).start()
        gates["/before"]?.open()
        // Refreshes start in order, so those of the other calls have started by then.
        try await gates["/after"]?.reached()
        gates["/item"]?.open()
        gates["/after"]?.open()
        for call in calls {
            let ids = try await call.values.reduce(into: []) { $0.append($1.id) }
            #expect(ids == [1, 2])
        }
        for call in before + [after] { for try await _ in call.values {} }
        #expect(site.server.requests.count { $0.path == "/item" } == 2)
        #expect(client.activeCalls == 0)
    }

    @Test func shutdownEndsWaitingRefreshes() async throws {
        let site = try CacheSite()
        let gate = Gate()
        site.server.answer("/item", with: .item(1))
        let client = site.client()
        _ = try await GetItem(client, .reload).promise.value
        site.server.answer("/item", with: .item(2).held(by: gate))
        let calls = (0..<40).map { _ in GetItem(client, .cacheThenNetwork).start() }
        try await gate.reached(count: RefreshLimiter.limit)
        await client.shutdown()
        for call in calls {
            #expect(call.isFinished)
            #expect(try await call.value.id == 1)
        }
        #expect(try await GetItem(client, .cacheOnly).cached()?.id == 1)
    }

    @Test func callCancelledAfterItsFirstValueDeliversNoMore() async throws {
        let site = try CacheSite()
        let gate = Gate()
        site.server.answer("/item", with: .item(1))
        let client = site.client()
        _ = try await GetItem(client, .reload).promise.value
        site.server.answer("/item", with: .item(2).held(by: gate))
        let heard = Facts()
        let call = GetItem(client, .cacheThenNetwork).start { item, _ in
            heard.note("\(item.id)")
        } failure: { _, _ in
            heard.note("failure")
        }
        await heard.reached("1")
        try await gate.reached()
        call.cancel()
        gate.open()
        #expect(try await call.value.id == 1)
        #expect(call.state == .finished(.cancelled))
        #expect(heard.all == ["1"])
        #expect(try await GetItem(client, .cacheOnly).cached()?.id == 1)
    }

    // MARK: Many at once

    @Test(arguments: CacheSite.Kind.allCases)
    func concurrentCallsOfAllPoliciesReturnTheRightItem(_ kind: CacheSite.Kind) async throws {
        let site = try CacheSite(kind)
        site.server.answer("/item*") { .item(Int($0.path.dropFirst(6)) ?? 0) }
        let client = site.client(observers: [])
        let policies: [CachePolicy] = [
            .cacheElseNetwork, .cacheThenNetwork, .networkElseCache, .reload, .cacheElseNetwork(write: .model),
            .cacheThenNetwork(write: .model),
        ]
        await withTaskGroup(of: Void.self) { group in
            for seed in 0..<8 {
                group.addTask {
                    for round in 0..<60 {
                        let number = (seed * 7 + round) % 5
                        let place = Endpoint.get("/item/\(number)")
                        let policy = policies[(seed + round) % policies.count]
                        let call = GetItem(client, policy, place).start()
                        if round % 11 == 3 { call.cancel() }
                        if round % 13 == 5 { try? await GetItem(client, policy, place).evict() }
                        do {
                            #expect(try await call.value.id == number)
                        } catch {
                            #expect(error is CancellationError && round % 11 == 3, "\(error)")
                        }
                    }
                }
            }
        }
        await client.shutdown()
        #expect(client.activeCalls == 0)
    }
}

import Foundation
import Testing

@testable import TangoCache

/// One load for each key at a time, for any number of callers.
@Suite struct TieredStampedeTests {
    private let backing = GatedStore()
    private let store: TieredStore

    init() throws {
        store = TieredStore(over: backing)
        try backing.content.put(CacheEntry("value"), for: "a")
    }

    /// Starts callers of `get`, all of which wait for the load of the first.
    private func crowd(_ count: Int) async -> [Task<CacheEntry?, any Error>] {
        backing.hold("get a")
        let first = Task { [store] in try await store.get("a") }
        await backing.arrival(at: "get a")
        let others = (1..<count).map { _ in Task { [store] in try await store.get("a") } }
        while store.waiters(for: "a") < count - 1 { await Task.yield() }
        return [first] + others
    }

    @Test func aCrowdCostsOneLoad() async throws {
        let crowd = await crowd(100)
        backing.release("get a")
        for task in crowd { #expect(try await task.value?.text == "value") }
        #expect(backing.count(of: "get a") == 1)
        #expect(try await store.statistics().hits == 100)
        #expect(store.isAtRest)
    }

    @Test func manyAtOnceShareTheLoadsOfOthers() async throws {
        try backing.content.put(CacheEntry("other"), for: "b")
        let crowd = await crowd(2)
        let many = Task { [store] in try await store.getMany(["a", "b", "a"]) }
        await backing.arrival(at: "get b")
        while store.waiters(for: "a") < 2 { await Task.yield() }
        backing.release("get a")
        #expect(try await many.value.map { $0?.text } == ["value", "other", "value"])
        for task in crowd { #expect(try await task.value?.text == "value") }
        #expect(backing.count(of: "get a") == 1)
    }

    @Test func aFailureReachesAll() async {
        let crowd = await crowd(10)
        backing.fail("get a")
        backing.release("get a")
        for task in crowd { await #expect(throws: GatedStore.Failure.self) { try await task.value } }
        #expect(store.isAtRest)
    }

    @Test func aCancelledWaiterLeavesAtOnce() async throws {
        let crowd = await crowd(5)
        crowd[2].cancel()
        await #expect(throws: CancellationError.self) { try await crowd[2].value }
        backing.release("get a")
        for index in [0, 1, 3, 4] { #expect(try await crowd[index].value?.text == "value") }
        #expect(store.isAtRest)
    }

    @Test func aWaiterCancelledBeforehandLeavesToo() async throws {
        let crowd = await crowd(2)
        let late = Task { [store] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await store.get("a")
        }
        await #expect(throws: CancellationError.self) { try await late.value }
        backing.release("get a")
        for task in crowd { #expect(try await task.value?.text == "value") }
    }

    @Test func anotherCarriesOnForOneWhoIsCancelled() async throws {
        let crowd = await crowd(5)
        crowd[0].cancel()
        backing.release("get a")
        await #expect(throws: CancellationError.self) { try await crowd[0].value }
        for task in crowd.dropFirst() { #expect(try await task.value?.text == "value") }
        #expect(backing.count(of: "get a") == 2)
        #expect(store.peek("a")?.text == "value")
        #expect(store.isAtRest)
    }

    @Test func allMayBeCancelled() async throws {
        let crowd = await crowd(5)
        for task in crowd { task.cancel() }
        backing.release("get a")
        for task in crowd { await #expect(throws: CancellationError.self) { try await task.value } }
        #expect(store.isAtRest)
        #expect(try await store.get("a")?.text == "value")
    }
}

extension TieredStore {
    /// Returns the number of callers that wait for the loads of a key.
    func waiters(for key: CacheKey) -> Int {
        state.withLock { $0.inFlight.waiters(of: key) }
    }
}

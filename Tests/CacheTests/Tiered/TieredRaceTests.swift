import Foundation
import Testing

@testable import TangoCache

/// The races between the tiers, step by step.
@Suite struct TieredRaceTests {
    private let backing = GatedStore()
    private let store: TieredStore

    init() throws {
        store = TieredStore(over: backing)
        try backing.content.put(CacheEntry(body: Data("old".utf8), tags: ["t"]), for: "a")
    }

    enum Change: CaseIterable, Sendable {
        case set, setMany, remove, removeMany, removeTag, removePrefix, removeAll, commit

        func run(on store: TieredStore) async throws {
            switch self {
            case .set: try await store.set(CacheEntry("new"), for: "a")
            case .setMany: try await store.setMany(["a": CacheEntry("new"), "b": CacheEntry("b")])
            case .remove: try await store.remove("a")
            case .removeMany: try await store.removeMany(["b", "a"])
            case .removeTag: try await store.remove(tag: "t")
            case .removePrefix: try await store.remove(prefix: "a")
            case .removeAll: try await store.removeAll()
            case .commit:
                let writer = try await store.writer(for: "a", entry: CacheEntry("new"))
                try await writer.commit()
            }
        }

        var result: String? {
            switch self {
            case .set, .setMany, .commit: "new"
            default: nil
            }
        }
    }

    @Test(arguments: Change.allCases)
    func aLoadThatAChangeHasOvertakenLeavesNothing(_ change: Change) async throws {
        backing.hold("got a")
        async let early = store.get("a")
        await backing.arrival(at: "got a")
        try await change.run(on: store)
        async let late = store.get("a")
        if change != .set, change != .setMany { await backing.arrival(at: "got a", 2) }
        backing.release("got a")
        #expect(try await early?.text == "old")
        #expect(try await late?.text == change.result)
        #expect(try await store.get("a")?.text == change.result)
        #expect(store.isAtRest)
    }

    @Test(arguments: Change.allCases.filter { $0 != .removePrefix })
    func aLoadDuringAChangeLeavesNothing(_ change: Change) async throws {
        let points = ["set a", "remove a", "remove tag t", "remove all"]
        for point in points { backing.hold(point) }
        let changing = Task { [store] in try await change.run(on: store) }
        let point =
            switch change {
            case .set, .setMany, .commit: "set a"
            case .remove, .removeMany: "remove a"
            case .removeTag: "remove tag t"
            default: "remove all"
            }
        await backing.arrival(at: point)
        #expect(try await store.get("a")?.text == "old")
        #expect(store.peek("a") == nil)
        for point in points { backing.release(point) }
        try await changing.value
        #expect(try await store.get("a")?.text == change.result)
        #expect(store.isAtRest)
    }

    @Test func afterANewValueTheOldOneIsNeverReadFromMemory() async throws {
        _ = try await store.get("a")
        backing.hold("did set a")
        let writing = Task { [store] in try await store.set(CacheEntry("new"), for: "a") }
        await backing.arrival(at: "did set a")
        #expect(try await store.get("a")?.text == "old")
        store.memory.drop("a")
        #expect(try await store.get("a")?.text == "new")
        // An older load may store its entry between the read of memory and the read of the backing store.
        backing.hold("got a")
        let reading = Task { [store] in try await store.get("a")?.text }
        await backing.arrival(at: "got a", 3)
        try store.memory.put(CacheEntry("old"), for: "a")
        backing.release("got a")
        #expect(try await reading.value == "new")
        #expect(try await store.get("a")?.text == "new")
        try store.memory.put(CacheEntry("old"), for: "a")
        #expect(try await store.reader(for: "a") != nil)
        #expect(try await store.get("a")?.text == "new")
        backing.release("did set a")
        try await writing.value
        #expect(store.peek("a")?.text == "new")
    }

    @Test(arguments: [true, false])
    func twoSetsAtATimeLeaveWhatIsBehind(firstGoesFirst: Bool) async throws {
        backing.hold("set one")
        backing.hold("set two")
        let one = Task { [store] in try await store.set(CacheEntry("one"), for: "a") }
        await backing.arrival(at: "set one")
        let two = Task { [store] in try await store.set(CacheEntry("two"), for: "a") }
        await backing.arrival(at: "set two")
        backing.release(firstGoesFirst ? "set one" : "set two")
        try await (firstGoesFirst ? one : two).value
        #expect(store.peek("a") == nil)
        backing.release(firstGoesFirst ? "set two" : "set one")
        try await (firstGoesFirst ? two : one).value
        #expect(store.peek("a") == nil)
        #expect(try await store.get("a")?.text == (firstGoesFirst ? "two" : "one"))
        #expect(store.peek("a")?.text == (firstGoesFirst ? "two" : "one"))
        #expect(store.isAtRest)
    }

    @Test(arguments: ["set a", "did set a"])
    func aSetThatFailsLeavesMemoryAsTheStoreBehindIs(point: String) async throws {
        _ = try await store.get("a")
        backing.fail(point)
        await #expect(throws: GatedStore.Failure.self) { try await store.set(CacheEntry("new"), for: "a") }
        #expect(store.peek("a") == nil)
        #expect(try await store.get("a")?.text == backing.content.peek("a")?.text)
        #expect(store.isAtRest)
    }

    @Test func aSweepThatFailsClearsMemory() async throws {
        _ = try await store.get("a")
        backing.fail("did remove all")
        await #expect(throws: GatedStore.Failure.self) { try await store.removeAll() }
        #expect(store.peek("a") == nil)
        #expect(store.isAtRest)
    }

    @Test func aSetDuringASweepIsNotStoredInMemory() async throws {
        backing.hold("did remove all")
        let removing = Task { [store] in try await store.removeAll() }
        await backing.arrival(at: "did remove all")
        try await store.set(CacheEntry("new"), for: "a")
        #expect(store.peek("a") == nil)
        #expect(try await store.get("a")?.text == "new")
        backing.release("did remove all")
        try await removing.value
        #expect(try await store.get("a")?.text == "new")
    }
}

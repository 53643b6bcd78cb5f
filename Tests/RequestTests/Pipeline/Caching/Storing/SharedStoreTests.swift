import Foundation
import LoopbackServer
import Synchronization
import TangoCache
import TangoPromise
import Testing

@testable import TangoRequest
@testable import TestSupport

@Suite(.timeLimit(.minutes(20)))
struct SharedStoreTests {
    /// A store whose writes and removals wait until the test opens it.
    private final class SlowStore: StoreOverMemory {
        let memory = MemoryStore()
        let began = Facts()
        private let gate = Promise<Void>.pending()
        let failure: CacheError?
        /// The gates of some texts. Their writes wait only for these.
        private let gates: [String: Gate]

        init(failure: CacheError? = nil, gates: [String: Gate] = [:]) {
            self.failure = failure
            self.gates = gates
        }

        func open() { gate.resolver.fulfill(()) }

        func set(_ entry: CacheEntry, for key: CacheKey) async throws {
            let text = String(decoding: entry.body, as: UTF8.self)
            began.note(text)
            if let gate = gates[text] { try await gate.opened() } else { try await gate.promise.value }
            if let failure { throw failure }
            try memory.put(entry, for: key)
        }

        func remove(_ key: CacheKey) async throws {
            began.note("remove")
            try await gate.promise.value
            memory.drop(key)
        }
    }

    static func entry(_ text: String) -> CacheEntry {
        CacheEntry(body: Data(text.utf8), metadata: ["head": "x"])
    }

    private static func text(_ peek: SharedStore.Peek) -> String? {
        switch peek {
        case .found(let entry): String(decoding: entry.body, as: UTF8.self)
        case .nothing: "nothing"
        case .unknown: nil
        }
    }

    static func body(_ entry: CacheEntry?) -> String? {
        entry.map { String(decoding: $0.body, as: UTF8.self) }
    }

    @Test func entriesInMemoryAreReadWithoutWaiting() {
        let shared = SharedStore.of(MemoryStore())
        #expect(Self.text(shared.peek("a")) == "nothing")
        shared.change("a", StoreChange(.set(Self.entry("1"))))
        #expect(Self.text(shared.peek("a")) == "1")
        shared.change("a", StoreChange(.remove))
        #expect(Self.text(shared.peek("a")) == "nothing")
    }

    /// The store notifies its observer of each eviction.
    @Test func observerOfAStoreMayChangeTheStore() async {
        let late = Mutex<SharedStore?>(nil)
        let heard = Facts()
        let store = MemoryStore(limits: CacheLimits(count: 2)) { _ in
            late.withLock(\.self)?.change("other", StoreChange(.remove))
            heard.note("event")
        }
        let shared = SharedStore.of(store)
        late.withLock { $0 = shared }
        for number in 0..<10 { shared.change("\(number)", StoreChange(.set(Self.entry("1")))) }
        #expect(heard.count > 0)
        late.withLock { $0 = nil }
    }

    @Test func changeIsVisibleBeforeItReachesTheStore() async throws {
        let store = SlowStore()
        let shared = SharedStore.of(store)
        #expect(Self.text(shared.peek("a")) == nil)
        shared.change("a", StoreChange(.set(Self.entry("1"))))
        #expect(Self.text(shared.peek("a")) == "1")
        #expect(Self.body(try await shared.get("a")) == "1")
        await store.began.reached("1")
        shared.change("a", StoreChange(.remove))
        #expect(Self.text(shared.peek("a")) == "nothing")
        #expect(try await shared.get("a") == nil)
        shared.change("a", StoreChange(.set(Self.entry("2"))))
        shared.change("b", StoreChange(.set(Self.entry("3"))))
        store.open()
        await shared.finish()
        #expect(Self.body(store.memory.peek("a")) == "2")
        #expect(Self.body(store.memory.peek("b")) == "3")
        #expect(Self.text(shared.peek("a")) == nil)
        // A change that is replaced while it waits never reaches the store.
        #expect(store.began.all.filter { $0 != "3" } == ["1", "2"])
    }

    /// Otherwise, the wait would never end under steady load.
    @Test @MainActor func finishDoesNotWaitForLaterChanges() async throws {
        let gates = ["1": Gate(), "2": Gate(), "3": Gate()]
        let store = SlowStore(gates: gates)
        let shared = SharedStore.of(store)
        shared.change("a", StoreChange(.set(Self.entry("1"))))
        try await gates["1"]?.reached()
        let facts = Facts()
        let finished = Task { @MainActor in
            facts.note("waits")
            // The wait begins before the test continues, because both run on the same actor.
            await shared.finish()
        }
        await facts.reached("waits")
        shared.change("b", StoreChange(.set(Self.entry("2"))))
        shared.change("a", StoreChange(.set(Self.entry("3"))))
        gates["1"]?.open()
        await finished.value
        #expect(store.memory.peek("b") == nil)
        gates["2"]?.open()
        gates["3"]?.open()
        await shared.finish()
        #expect(Self.body(store.memory.peek("a")) == "3")
        #expect(Self.body(store.memory.peek("b")) == "2")
    }

    /// A large body is committed by a job, which then changes the entry that refers to it.
    @Test(arguments: [false, true]) @MainActor
    func finishWaitsForTheChangeThatAJobMakes(_ isOverAnother: Bool) async throws {
        let gates = ["0": Gate(), "1": Gate()]
        let store = SlowStore(gates: gates)
        let shared = SharedStore.of(store)
        let job = Gate()
        if isOverAnother {
            shared.change("a", StoreChange(.set(Self.entry("0"))))
            try await gates["0"]?.reached()
        }
        shared.carryOut(under: "a") {
            try? await job.opened()
            shared.change("a", StoreChange(.set(Self.entry("1"))))
        }
        let facts = Facts()
        let finished = Task { @MainActor in
            facts.note("waits")
            await shared.finish()
            return Self.body(store.memory.peek("a"))
        }
        await facts.reached("waits")
        job.open()
        // A reader waits for the job, and continues on the same actor after the wait that ends with the job.
        _ = try await shared.get("a")
        gates["0"]?.open()
        if isOverAnother { try await gates["1"]?.reached() }
        gates["1"]?.open()
        #expect(await finished.value == "1")
        #expect(!shared.isPending)
    }

    @Test func failedWriteIsReported() async {
        let store = SlowStore(failure: CacheError(.diskFull, "full"))
        store.open()
        let shared = SharedStore.of(store)
        let facts = Facts()
        let report: StoreChange.Report = { outcome in facts.note("\((outcome.error as? CacheError)?.code ?? .busy)") }
        shared.change("a", StoreChange(.set(Self.entry("1")), report: report))
        await shared.finish()
        #expect(facts.all == ["diskFull"])
        let small = SharedStore.of(MemoryStore(limits: CacheLimits(bytes: 10)))
        small.change("a", StoreChange(.set(Self.entry("1")), report: report))
        #expect(facts.all == ["diskFull", "tooLarge"])
    }

    /// Returns an edit that replaces the entry only if it has the same write date.
    private static func replacing(_ entry: CacheEntry) -> StoreChange.Kind {
        .edit { present in present?.written == entry.written ? .set(entry) : .keep }
    }

    @Test(arguments: [false, true])
    func useIsRecordedOnlyIfTheEntryIsStillStored(_ isSlow: Bool) async throws {
        let slow = SlowStore()
        slow.open()
        let memory = isSlow ? slow.memory : MemoryStore()
        let shared = SharedStore.of(isSlow ? slow : memory)
        shared.change("a", StoreChange(.set(Self.entry("1"))))
        await shared.finish()
        let first = try #require(try await shared.get("a"))
        var used = first
        used.metadata["used"] = "1"
        shared.change("a", StoreChange(Self.replacing(used)))
        await shared.finish()
        #expect(memory.peek("a")?.metadata["used"] == "1")
        var newer = Self.entry("2")
        newer.written = Date(timeIntervalSinceReferenceDate: 1)
        shared.change("a", StoreChange(.set(newer)))
        await shared.finish()
        shared.change("a", StoreChange(Self.replacing(used)))
        await shared.finish()
        #expect(Self.body(memory.peek("a")) == "2")
        shared.change("a", StoreChange(.remove))
        shared.change("a", StoreChange(Self.replacing(used)))
        await shared.finish()
        #expect(memory.peek("a") == nil)
    }

    @Test func changeThatBeganBeforeARemovalIsNotStoredAfterIt() async throws {
        let slow = SlowStore()
        for shared in [SharedStore.of(slow), SharedStore.of(MemoryStore())] {
            let mark = shared.changes.begin()
            shared.change("user=1 a", StoreChange(.set(Self.entry("1"))))
            shared.change("user=2 a", StoreChange(.set(Self.entry("2"))))
            shared.changes.note([.identity("user=1 ")])
            async let removed: Void = shared.remove(.prefix("user=1 "))
            func condition(_ mark: Int) -> ChangeLog.Guard {
                ChangeLog.Guard(
                    log: shared.changes, places: [.key("user=1 b"), .identity("user=1 ")], mark: mark)
            }
            shared.change("user=1 b", StoreChange(.set(Self.entry("3")), if: condition(mark)))
            slow.open()
            try await removed
            await shared.finish()
            #expect(try await shared.get("user=1 a") == nil)
            #expect(try await shared.get("user=1 b") == nil)
            #expect(Self.body(try await shared.get("user=2 a")) == "2")
            shared.change(
                "user=1 b", StoreChange(.set(Self.entry("3")), if: condition(shared.changes.begin())))
            await shared.finish()
            #expect(Self.body(try await shared.get("user=1 b")) == "3")
        }
    }

    @Test func lastOfManyChangesOfAKeyWins() async throws {
        let slow = SlowStore()
        slow.open()
        let shared = SharedStore.of(TieredStore(over: slow))
        await withTaskGroup(of: Void.self) { group in
            for key in 0..<8 {
                group.addTask {
                    for number in 0..<201 {
                        let key = CacheKey("\(key)")
                        shared.change(key, StoreChange(number % 7 == 3 ? .remove : .set(Self.entry("\(number)"))))
                        if number % 7 != 3 {
                            #expect(Self.body(try? await shared.get(key)) == "\(number)")
                        }
                    }
                }
            }
        }
        await shared.finish()
        for key in 0..<8 { #expect(Self.body(slow.memory.peek(CacheKey("\(key)"))) == "200") }
    }

    // MARK: Order

    private static func appending(_ text: String) -> StoreChange.Kind {
        .edit { entry in .set(Self.entry((entry.map { String(decoding: $0.body, as: UTF8.self) } ?? "") + text)) }
    }

    @Test(arguments: [false, true])
    func editsBuildOnEachOther(_ isInMemory: Bool) async throws {
        let slow = SlowStore()
        let shared = SharedStore.of(isInMemory ? MemoryStore() : slow)
        for number in 0..<5 { shared.change("a", StoreChange(Self.appending("\(number)"))) }
        // The edits are visible before the store has written them.
        #expect(Self.body(try await shared.get("a")) == "01234")
        shared.change("a", StoreChange(Self.appending("5")))
        #expect(Self.text(shared.peek("a")) == "012345")
        shared.change("a", StoreChange(.edit { _ in .keep }))
        slow.open()
        await shared.finish()
        #expect(Self.body(try await shared.get("a")) == "012345")
        shared.change("a", StoreChange(.edit { _ in .remove }))
        await shared.finish()
        #expect(try await shared.get("a") == nil)
    }

    @Test func concurrentEditsOfAKeyAreAllApplied() async throws {
        for store: any CacheStore in [MemoryStore(), BytesStore(), TieredStore(over: BytesStore())] {
            let shared = SharedStore.of(store)
            await withTaskGroup { group in
                for _ in 0..<8 {
                    group.addTask { for _ in 0..<125 { shared.change("a", StoreChange(Self.appending("x"))) } }
                }
            }
            await shared.finish()
            #expect(Self.body(try await store.get("a"))?.count == 1000)
        }
    }

    /// A removal hides earlier changes at once, and does not affect later changes.
    @Test(arguments: [false, true])
    func removalOfManyAppliesOnlyToEarlierChanges(_ isTagged: Bool) async throws {
        let slow = SlowStore(gates: ["3": Gate()])
        try slow.memory.put(CacheEntry(body: Data("0".utf8), tags: ["t"]), for: "p0")
        let shared = SharedStore.of(slow)
        var tagged = Self.entry("1")
        tagged.tags = ["t"]
        shared.change("p1", StoreChange(.set(tagged)))
        await slow.began.reached("1")
        shared.change("p2", StoreChange(.set(tagged)))
        let done = Facts()
        shared.remove(isTagged ? .tag("t") : .prefix("p")) { _ in done.note("removed") }
        for key: CacheKey in ["p0", "p1", "p2"] { #expect(try await shared.get(key) == nil) }
        shared.change("p0", StoreChange(.set(Self.entry("2"))))
        #expect(Self.body(try await shared.get("p0")) == "2")
        #expect(done.all.isEmpty)
        slow.open()
        await shared.finish()
        #expect(done.all == ["removed"])
        #expect(Self.body(slow.memory.peek("p0")) == "2")
        #expect(slow.memory.peek("p1") == nil)
        #expect(slow.memory.peek("p2") == nil)
    }

    @Test func entryReadWhileItsTagIsRemovedIsNotWrittenBack() async throws {
        let reading = Gate()
        let store = HeldReads(reading)
        try store.memory.put(CacheEntry(body: Data("old ".utf8), tags: ["t"]), for: "a")
        let shared = SharedStore.of(store)
        shared.change("a", StoreChange(Self.appending("new")))
        try await reading.reached()
        try await shared.remove(.tag("t"))
        reading.open()
        await shared.finish()
        #expect(Self.body(store.memory.peek("a")) == "new")
    }

    /// A store whose reads wait at a gate.
    private final class HeldReads: StoreOverMemory {
        let memory = MemoryStore()
        private let gate: Gate

        init(_ gate: Gate) {
            self.gate = gate
        }

        func get(_ key: CacheKey) async throws -> CacheEntry? {
            let entry = memory.peek(key)
            try await gate.opened()
            return entry
        }
    }

    // MARK: One for each store

    @Test func storeObjectHasOneSharedInstance() {
        let (one, two) = (MemoryStore(), MemoryStore())
        let shared = SharedStore.of(one)
        #expect(SharedStore.of(one) === shared)
        #expect(SharedStore.of(two) !== shared)
        for _ in 0..<100 { _ = SharedStore.of(MemoryStore()) }
        #expect(SharedStore.of(one) === shared)
    }
}

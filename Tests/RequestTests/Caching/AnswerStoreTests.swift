import Foundation
import LoopbackServer
import Synchronization
import TangoCache
import TangoPromise
import Testing

@testable import TangoRequest

@Suite(.timeLimit(.minutes(10)))
struct AnswerStoreTests {
    /// A store whose writes wait until they are let through.
    private final class SlowStore: CacheStore {
        let memory = MemoryStore()
        let began = Facts()
        private let gate = Promise<Void>.pending()
        let failure: CacheError?
        /// Gates of their own, for some of the texts.
        private let gates: [String: Gate]

        init(failure: CacheError? = nil, gates: [String: Gate] = [:]) {
            self.failure = failure
            self.gates = gates
        }

        func open() { gate.resolver.fulfill(()) }

        func get(_ key: CacheKey) async throws -> CacheEntry? { memory.peek(key) }

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

        func removeAll(progress: @escaping @Sendable (CacheProgress) -> Void) async throws { memory.dropAll() }

        func entries() -> CacheEntries { memory.entries() }
    }

    private static func entry(_ text: String) -> CacheEntry {
        CacheEntry(body: Data(text.utf8), metadata: ["head": "x"])
    }

    private static func text(_ glance: AnswerStore.Glance) -> String? {
        switch glance {
        case .found(let entry): String(decoding: entry.body, as: UTF8.self)
        case .nothing: "nothing"
        case .unknown: nil
        }
    }

    private static func body(_ entry: CacheEntry?) -> String? {
        entry.map { String(decoding: $0.body, as: UTF8.self) }
    }

    @Test func whatIsInMemoryIsThereAtOnce() {
        let answers = AnswerStore(MemoryStore())
        #expect(Self.text(answers.glance("a")) == "nothing")
        answers.change("a", .set(Self.entry("1")))
        #expect(Self.text(answers.glance("a")) == "1")
        answers.change("a", .remove)
        #expect(Self.text(answers.glance("a")) == "nothing")
    }

    /// Whoever hears that something had to go may use the store.
    @Test func whatHearsOfAChangeMayMakeAnother() async {
        let late = Mutex<AnswerStore?>(nil)
        let heard = Facts()
        let store = MemoryStore(limits: CacheLimits(count: 2)) { _ in
            late.withLock(\.self)?.change("other", .remove)
            heard.note("event")
        }
        let answers = AnswerStore(store)
        late.withLock { $0 = answers }
        for number in 0..<10 { answers.change("\(number)", .set(Self.entry("1"))) }
        #expect(heard.count > 0)
        late.withLock { $0 = nil }
    }

    @Test func aChangeIsVisibleBeforeItHasGotToTheStore() async throws {
        let store = SlowStore()
        let answers = AnswerStore(store)
        #expect(Self.text(answers.glance("a")) == nil)
        answers.change("a", .set(Self.entry("1")))
        #expect(Self.text(answers.glance("a")) == "1")
        #expect(Self.body(try await answers.get("a")) == "1")
        await store.began.reached("1")
        answers.change("a", .remove)
        #expect(Self.text(answers.glance("a")) == "nothing")
        #expect(try await answers.get("a") == nil)
        answers.change("a", .set(Self.entry("2")))
        answers.change("b", .set(Self.entry("3")))
        store.open()
        await answers.finish()
        #expect(Self.body(store.memory.peek("a")) == "2")
        #expect(Self.body(store.memory.peek("b")) == "3")
        #expect(Self.text(answers.glance("a")) == nil)
        // What was overtaken while it waited was not even begun.
        #expect(store.began.all.filter { $0 != "3" } == ["1", "2"])
    }

    /// A store under steady load would never be done otherwise.
    @Test @MainActor func whoWaitsForWhatThereIsDoesNotWaitForWhatComesLater() async throws {
        let gates = ["1": Gate(), "2": Gate(), "3": Gate()]
        let store = SlowStore(gates: gates)
        let answers = AnswerStore(store)
        answers.change("a", .set(Self.entry("1")))
        try await gates["1"]?.reached()
        let facts = Facts()
        let finished = Task { @MainActor in
            facts.note("waits")
            // It begins to before the test, on the same actor, goes on.
            await answers.finish()
        }
        await facts.reached("waits")
        answers.change("b", .set(Self.entry("2")))
        answers.change("a", .set(Self.entry("3")))
        gates["1"]?.open()
        await finished.value
        #expect(store.memory.peek("b") == nil)
        gates["2"]?.open()
        gates["3"]?.open()
        await answers.finish()
        #expect(Self.body(store.memory.peek("a")) == "3")
        #expect(Self.body(store.memory.peek("b")) == "2")
    }

    @Test func aFailureIsReported() async {
        let store = SlowStore(failure: CacheError(.diskFull, "full"))
        store.open()
        let answers = AnswerStore(store)
        let facts = Facts()
        answers.change("a", .set(Self.entry("1"))) { error in facts.note("\((error as? CacheError)?.code ?? .busy)") }
        await answers.finish()
        #expect(facts.all == ["diskFull"])
        let small = AnswerStore(MemoryStore(limits: CacheLimits(bytes: 10)))
        small.change("a", .set(Self.entry("1"))) { error in facts.note("\((error as? CacheError)?.code ?? .busy)") }
        #expect(facts.all == ["diskFull", "tooLarge"])
    }

    @Test(arguments: [false, true])
    func aUseIsNotedOnlyOfWhatIsStillThere(_ isSlow: Bool) async throws {
        let slow = SlowStore()
        slow.open()
        let memory = isSlow ? slow.memory : MemoryStore()
        let answers = AnswerStore(isSlow ? slow : memory)
        answers.change("a", .set(Self.entry("1")))
        await answers.finish()
        let first = try #require(try await answers.get("a"))
        var used = first
        used.metadata["used"] = "1"
        answers.change("a", .renew(used, written: used.written))
        await answers.finish()
        #expect(memory.peek("a")?.metadata["used"] == "1")
        var newer = Self.entry("2")
        newer.written = Date(timeIntervalSinceReferenceDate: 1)
        answers.change("a", .set(newer))
        await answers.finish()
        answers.change("a", .renew(used, written: used.written))
        await answers.finish()
        #expect(Self.body(memory.peek("a")) == "2")
        answers.change("a", .remove)
        answers.change("a", .renew(used, written: used.written))
        await answers.finish()
        #expect(memory.peek("a") == nil)
    }

    @Test func whatBeganBeforeEverythingWasRemovedDoesNotComeAfter() async throws {
        let slow = SlowStore()
        for answers in [AnswerStore(slow), AnswerStore(MemoryStore())] {
            let before = answers.changes.mark
            answers.change("user=1 a", .set(Self.entry("1")))
            answers.change("user=2 a", .set(Self.entry("2")))
            async let removed: Void = answers.removeAll(in: "user=1 ")
            while answers.changes.mark == before { await Task.yield() }
            answers.change("user=1 b", .set(Self.entry("3")), since: before)
            slow.open()
            try await removed
            await answers.finish()
            #expect(try await answers.get("user=1 a") == nil)
            #expect(try await answers.get("user=1 b") == nil)
            #expect(Self.body(try await answers.get("user=2 a")) == "2")
            answers.change("user=1 b", .set(Self.entry("3")), since: answers.changes.mark)
            await answers.finish()
            #expect(Self.body(try await answers.get("user=1 b")) == "3")
        }
    }

    @Test func manyChangesOfAFewKeysEndWithTheLast() async throws {
        let slow = SlowStore()
        slow.open()
        let answers = AnswerStore(TieredStore(over: slow))
        await withTaskGroup(of: Void.self) { group in
            for key in 0..<8 {
                group.addTask {
                    for number in 0..<201 {
                        let key = CacheKey("\(key)")
                        answers.change(key, number % 7 == 3 ? .remove : .set(Self.entry("\(number)")))
                        if number % 7 != 3 {
                            #expect(Self.body(try? await answers.get(key)) == "\(number)")
                        }
                    }
                }
            }
        }
        await answers.finish()
        for key in 0..<8 { #expect(Self.body(slow.memory.peek(CacheKey("\(key)"))) == "200") }
    }
}

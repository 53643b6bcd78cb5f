import Dispatch
import Foundation
import Synchronization
import Testing

@testable import TangoCache

/// Many threads, and user code that calls the store again.
@Suite struct MemoryStoreConcurrencyTests {
    @Test func manyThreadsSeeOnlyWhatWasStored() {
        let limits = CacheLimits(bytes: 40_000, count: 60)
        let store = MemoryStore(limits: limits)
        let mistakes = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            var random = SeededNumbers(thread)
            for step in 0..<5000 {
                let number = Int.random(in: 0..<100, using: &random)
                let key = CacheKey("key \(number)")
                switch Int.random(in: 0..<100, using: &random) {
                case 0..<60:
                    if let text = store.peek(key)?.text, !text.hasPrefix("\(number):") { mistakes.withLock { $0 += 1 } }
                case 60..<90:
                    let padding = String(repeating: "x", count: .random(in: 0..<1000, using: &random))
                    try? store.put(CacheEntry("\(number):\(step)\(padding)", pinned: step % 50 == 0), for: key)
                case 90..<97: store.drop(key)
                case 97: store.drop(prefix: key)
                case 98: store.trim(to: 0.7)
                default: if step % 10 == 0 { store.dropAll() }
                }
                let numbers = store.numbers
                if numbers.bytes > 40_000 || numbers.count > 60 { mistakes.withLock { $0 += 1 } }
            }
        }
        #expect(mistakes.withLock { $0 } == 0)
    }

    /// Uses the store when it is released.
    private final class Clinging: Sendable {
        private let store: MemoryStore

        init(_ store: MemoryStore) {
            self.store = store
        }

        deinit {
            _ = store.peek("last words")
            try? store.put(CacheEntry("said"), for: "last words")
        }
    }

    @Test(arguments: ["replace", "drop", "all", "evict", "trim", "expire", "tag"])
    func anObjectMayUseTheStoreWhenItGoes(how: String) throws {
        let clock = HandClock()
        let store = MemoryStore(limits: CacheLimits(count: 2), now: { clock.now })
        let expires = clock.now.addingTimeInterval(5)
        try store.put(
            CacheEntry(body: Data(), expires: expires, tags: ["t"], object: Clinging(store)), for: "a")
        switch how {
        case "replace": try store.put(CacheEntry(""), for: "a")
        case "drop": store.drop("a")
        case "all": store.dropAll()
        case "evict": for index in 0..<5 { try store.put(CacheEntry(""), for: CacheKey("\(index)")) }
        case "trim": store.trim(to: 0)
        case "expire":
            clock.advance(by: 5)
            #expect(store.peek("a") == nil)
        default: store.drop(tag: "t")
        }
        #expect(store.peek("last words")?.text == "said" || how == "evict")
    }

    @Test func closuresMayUseTheStore() throws {
        let box = Mutex<MemoryStore?>(nil)
        let useStore: @Sendable () -> Void = { _ = box.withLock { $0 }?.peek("a") }
        let store = MemoryStore(
            limits: CacheLimits(count: 1), onEvent: { _ in useStore() },
            cost: { _ in
                useStore()
                return 1
            },
            now: {
                useStore()
                return Date()
            })
        box.withLock { $0 = store }
        for index in 0..<5 {
            try store.put(CacheEntry(body: Data(), expires: Date(timeIntervalSinceNow: 9)), for: CacheKey("\(index)"))
        }
        #expect(store.peek("4") != nil)
        box.withLock { $0 = nil }
    }

    @Test func theStoreReleasesWhatItHeld() throws {
        let object = Clinging(MemoryStore())
        weak var held: Clinging?
        do {
            let store = MemoryStore()
            let inner = Clinging(MemoryStore())
            held = inner
            try store.put(CacheEntry(body: Data(), object: inner), for: CacheKey(String(repeating: "k", count: 500)))
            try store.put(CacheEntry(body: Data(), object: object), for: "b")
        }
        #expect(held == nil)
    }
}

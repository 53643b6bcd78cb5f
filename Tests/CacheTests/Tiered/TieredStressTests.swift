import Foundation
import Synchronization
import Testing

@testable import TangoCache

/// Random operations from many tasks at once, checked against the possible values of each key.
@Suite struct TieredStressTests {
    /// One writer for each key at a time writes increasing numbers. Readers never see them decrease.
    @Test(arguments: 0..<4)
    func readsNeverReturnOlderValues(seed: Int) async throws {
        let backing = SlowStore()
        let limits = CacheLimits(count: 3)
        let store = TieredStore(memory: MemoryStore(limits: limits), over: backing)
        let keys = (0..<6).map { CacheKey("\($0)") }
        let floors = keys.map { _ in Floor() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in keys.indices {
                group.addTask {
                    var random = SeededNumbers(seed * 100 + index)
                    for number in 1...300 {
                        if Int.random(in: 0..<4, using: &random) == 0 { try await store.remove(keys[index]) }
                        try await store.set(CacheEntry("\(number)"), for: keys[index])
                        floors[index].raise(to: number)
                    }
                }
            }
            for reader in 0..<6 {
                group.addTask {
                    var random = SeededNumbers(seed * 1000 + reader)
                    for _ in 0..<1500 {
                        let index = Int.random(in: keys.indices, using: &random)
                        let floor = floors[index].value
                        let text = try await store.get(keys[index])?.text
                        // There is no entry between a removal and the next set.
                        guard let text, let number = Int(text) else { continue }
                        #expect(number >= floor)
                        floors[index].raise(to: number)
                    }
                }
            }
            try await group.waitForAll()
        }
        for key in keys {
            #expect(try await store.get(key)?.text == "300")
            #expect(try await store.get(key)?.text == "300")
        }
        #expect(store.isAtRest)
    }

    /// All operations at once, without order. At the end, memory and the backing store agree.
    @Test(arguments: 0..<4)
    func bothTiersAgreeWhenAllIsDone(seed: Int) async throws {
        let backing = SlowStore()
        let store = TieredStore(over: backing)
        let keys = (0..<4).map { CacheKey("\($0)") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    var random = SeededNumbers(seed * 100 + worker)
                    for step in 0..<300 {
                        let key = keys.randomElement(using: &random)!
                        let entry = CacheEntry(
                            body: Data("\(worker) \(step)".utf8), tags: step.isMultiple(of: 2) ? ["t"] : [])
                        switch Int.random(in: 0..<40, using: &random) {
                        case 0..<20: _ = try await store.get(key)
                        case 20..<32: try await store.set(entry, for: key)
                        case 32..<34: try await store.remove(key)
                        case 34: try await store.remove(tag: "t")
                        case 35: try await store.removeAll()
                        case 36: try await store.remove(prefix: key)
                        case 37: try await store.setMany(keys.map { (key: $0, entry: entry) })
                        default: _ = try await store.getMany(keys)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(store.isAtRest)
        for key in keys {
            if let above = store.peek(key) { #expect(above.text == backing.content.peek(key)?.text) }
        }
    }

    private final class Floor: Sendable {
        private let number = Mutex(0)

        var value: Int { number.withLock { $0 } }

        func raise(to other: Int) {
            number.withLock { $0 = max($0, other) }
        }
    }
}

/// A store that yields before and after each operation.
final class SlowStore: CacheStore {
    let content = MemoryStore(limits: .unlimited)

    nonisolated(nonsending) func get(_ key: CacheKey) async throws -> CacheEntry? {
        await Task.yield()
        let entry = content.peek(key)
        await Task.yield()
        return entry
    }

    nonisolated(nonsending) func set(_ entry: CacheEntry, for key: CacheKey) async throws {
        await Task.yield()
        try content.put(entry, for: key)
        await Task.yield()
    }

    nonisolated(nonsending) func remove(_ key: CacheKey) async throws {
        await Task.yield()
        content.drop(key)
        await Task.yield()
    }

    nonisolated(nonsending) func removeAll(progress: @escaping @Sendable (CacheProgress) -> Void) async throws {
        await Task.yield()
        try await content.removeAll(progress: progress)
        await Task.yield()
    }

    func entries() -> CacheEntries {
        content.entries()
    }
}

import Foundation
import TangoCache

extension Fault {
    /// Stores that are right only without concurrency and cancellation.
    static let tasks: [Fault] = [
        Fault("tears entries", breaks: replaced("set"), replaced("writer")) { TornStore() },
        Fault("caches what is being replaced", breaks: replaced("set"), replaced("writer")) { StaleStore() },
        Fault(
            "undoes what others did",
            breaks: "Tasks that set and remove different keys at once do not undo each other's changes."
        ) {
            CopyingStore()
        },
        Fault(
            "looks for cancellation when it is done", breaks: cancelled("A `set`", "stores the entry"),
            cancelled("A `remove`", "removes the entry"), cancelled("A `commit`", "stores the entry"),
            "A read in a cancelled task returns the stored entry, or throws."
        ) { CancellableStore() },
        Fault("closes when cancelled", breaks: "`removeAll` and `entries` in a cancelled task leave the store usable.")
        {
            ClosingStore()
        },
    ]

    private static func cancelled(_ work: String, _ effect: String) -> String {
        "\(work) in a cancelled task \(effect), or throws and changes nothing."
    }

    private static func replaced(_ name: String) -> String {
        "While `\(name)` replaces entries, each read returns a whole entry, not older than the last stored one."
    }
}

/// Stores the details of an entry some time after its body.
private final class TornStore: BrokenStore {
    let store = ActorStore()

    func set(_ entry: CacheEntry, for key: CacheKey) async throws {
        if var old = await store.get(key) {
            old.body = entry.body
            try await store.set(old, for: key)
            for _ in 0..<200 { await Task.yield() }
        }
        try await store.set(entry, for: key)
    }
}

/// Keeps what was read, and forgets it just before it is replaced, not after. It gives others time to read it again.
private final class StaleStore: BrokenStore {
    let store = ActorStore()
    let read = Guarded<[CacheKey: CacheEntry]>([:])

    func get(_ key: CacheKey) async throws -> CacheEntry? {
        if let entry = read.value[key] { return entry }
        let entry = await store.get(key)
        read.change { $0[key] = entry }
        return entry
    }

    func set(_ entry: CacheEntry, for key: CacheKey) async throws {
        read.change { $0[key] = nil }
        // Only the rules with many tasks have readers to wait for; their entries count turns.
        let yields = entry.metadata["turn"] == nil ? 0 : 1_000
        for _ in 0..<yields where read.value[key] == nil { await Task.yield() }
        try await store.set(entry, for: key)
    }

    func remove(_ key: CacheKey) async throws {
        read.change { $0[key] = nil }
        await store.remove(key)
    }

    func removeAll(progress: @escaping @Sendable (CacheProgress) -> Void) async throws {
        read.change { $0 = [:] }
        await store.removeAll(progress: progress)
    }
}

/// Changes a copy of all it has, and puts it back.
private final class CopyingStore: CacheStore {
    let kept = Guarded<[CacheKey: CacheEntry]>([:])

    func get(_ key: CacheKey) async throws -> CacheEntry? { kept.value[key] }
    func set(_ entry: CacheEntry, for key: CacheKey) async throws { await change { $0[key] = entry } }
    func remove(_ key: CacheKey) async throws { await change { $0[key] = nil } }
    func removeAll(progress: @escaping @Sendable (CacheProgress) -> Void) async throws { await change { $0 = [:] } }
    func entries() -> CacheEntries { CacheEntries(kept.value.map { CacheItem(key: $0, entry: $1) }) }

    private func change(_ change: (inout [CacheKey: CacheEntry]) -> Void) async {
        var copy = kept.value
        await Task.yield()
        change(&copy)
        kept.change { $0 = copy }
    }
}

/// Looks whether its task is cancelled when the work is done.
private final class CancellableStore: BrokenStore {
    let store = ActorStore()

    func get(_ key: CacheKey) async throws -> CacheEntry? {
        Task.isCancelled ? nil : await store.get(key)
    }

    func set(_ entry: CacheEntry, for key: CacheKey) async throws {
        try await store.set(entry, for: key)
        try Task.checkCancellation()
    }

    func remove(_ key: CacheKey) async throws {
        await store.remove(key)
        try Task.checkCancellation()
    }
}

/// Is closed for good by the first cancelled task.
private final class ClosingStore: BrokenStore {
    let store = ActorStore()
    let isClosed = Guarded(false)

    func get(_ key: CacheKey) async throws -> CacheEntry? {
        try open()
        return await store.get(key)
    }

    func removeAll(progress: @escaping @Sendable (CacheProgress) -> Void) async throws {
        try open()
        await store.removeAll(progress: progress)
    }

    private func open() throws {
        if isClosed.change({ isClosed in
            isClosed = isClosed || Task.isCancelled
            return isClosed
        }) {
            throw CacheError(.closed, "The store is closed.")
        }
    }
}

import Foundation
import TangoCache

extension Fault {
    /// Stores that return another entry than the one that was set.
    static let reads: [Fault] = [
        Fault("keeps nothing", breaks: "The entry that was set last is returned.") { ForgetfulStore() },
        Fault("returns an entry for every key", breaks: "A key that was never set has no entry.") { TalkativeStore() },
        Fault(
            "returns what has expired", breaks: "`get` does not return an entry that has expired.",
            "`getMany` does not return an entry that has expired.",
            "`reader` does not return an entry that has expired.",
            "An entry that expired in the distant past is not returned."
        ) { LenientStore() },
        Fault("stamps on read", breaks: "The time of writing does not change when an entry is read.") {
            AlteringStore(found: { $0.written = Date() })
        },
        Fault("does not stamp", breaks: "An entry without a time of writing gets that of the `set`.") {
            AlteringStore(found: { $0.written = nil })
        },
        Fault("finds in its own order", breaks: manyInOrder) { OrderlessStore() },
    ]

    private static let manyInOrder =
        "`getMany` returns entries in the order of the keys, with nil for missing ones, also for repeated keys."
}

private final class ForgetfulStore: BrokenStore {
    let store = ActorStore()

    func set(_ entry: CacheEntry, for key: CacheKey) async throws {}
}

private final class TalkativeStore: BrokenStore {
    let store = ActorStore()

    func get(_ key: CacheKey) async throws -> CacheEntry? {
        await store.get(key) ?? CacheEntry(body: Data("not found".utf8))
    }

    func entries() -> CacheEntries {
        CacheEntries { [store] in
            var items = [CacheItem(key: "ghost", size: 0, written: Date())]
            for try await item in store.entries() { items.append(item) }
            return CacheEntries.Page(items)
        }
    }
}

/// Looks at the expiry of no entry.
private final class LenientStore: BrokenStore {
    let store = ActorStore()

    func get(_ key: CacheKey) async throws -> CacheEntry? {
        guard var entry = await store.get(key) else { return nil }
        entry.expires = entry.metadata.removeValue(forKey: "expires").flatMap(Double.init)
            .map { Date(timeIntervalSinceReferenceDate: $0) }
        return entry
    }

    func set(_ entry: CacheEntry, for key: CacheKey) async throws {
        var entry = entry
        entry.metadata["expires"] = entry.expires.map { "\($0.timeIntervalSinceReferenceDate)" }
        entry.expires = nil
        try await store.set(entry, for: key)
    }
}

/// Returns what many keys have as a database does: each once, in its own order.
private final class OrderlessStore: BrokenStore {
    let store = ActorStore()

    func getMany(_ keys: [CacheKey]) async throws -> [CacheEntry?] {
        var found: [CacheEntry?] = []
        for key in Set(keys).sorted(by: { $0.description < $1.description }) { found.append(await store.get(key)) }
        return found
    }
}

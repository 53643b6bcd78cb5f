import Foundation
import TangoCache

extension Fault {
    /// Stores that do not write what they are told, or more.
    static let writes: [Fault] = [
        Fault("keeps the first", breaks: "The entry that was set last is returned.") { FirstWinsStore() },
        Fault(
            "keeps the old where the new has expired",
            breaks: "An entry that has expired still replaces the old one."
        ) {
            LazyStore()
        },
        Fault(
            "stores the first of many", breaks: "`setMany` stores all entries, and the last one for a repeated key.",
            "The methods for several keys accept an empty list and change nothing then."
        ) { FirstOfManyStore() },
        Fault("has room for one", breaks: "`remove` removes the entry under its key and no other.") { SingleStore() },
    ]

}

private final class FirstWinsStore: BrokenStore {
    let store = ActorStore()

    func set(_ entry: CacheEntry, for key: CacheKey) async throws {
        if await store.get(key) == nil { try await store.set(entry, for: key) }
    }
}

/// Spares itself the work of storing what has expired.
private final class LazyStore: BrokenStore {
    let store = ActorStore()

    func set(_ entry: CacheEntry, for key: CacheKey) async throws {
        if let expires = entry.expires, expires < .now { return }
        try await store.set(entry, for: key)
    }
}

/// Stores many from the last to the first, and takes none for all.
private final class FirstOfManyStore: BrokenStore {
    let store = ActorStore()

    func setMany(_ entries: [(key: CacheKey, entry: CacheEntry)]) async throws {
        if entries.isEmpty { try await removeAll() }
        for (key, entry) in entries.reversed() { try await store.set(entry, for: key) }
    }
}

private final class SingleStore: BrokenStore {
    let store = ActorStore()

    func set(_ entry: CacheEntry, for key: CacheKey) async throws {
        await store.removeAll { _ in }
        try await store.set(entry, for: key)
    }
}

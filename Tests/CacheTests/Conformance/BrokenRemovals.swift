import Foundation
import TangoCache

extension Fault {
    /// Stores that remove too little or too much, or say something else about it.
    static let removals: [Fault] = [
        Fault("removes nothing", breaks: "`remove` removes the entry under its key and no other.") { KeepingStore() },
        Fault(
            "misses what is not there and protects what is pinned", breaks: "Removing a missing entry is not an error.",
            "A pinned entry can be removed.", "`removeAll` removes all entries, even pinned ones."
        ) { StrictStore() },
        Fault("never reports", breaks: progressEnds, progressOfNothing) { ProgressStore(steps: []) },
        Fault("reports before the end only", breaks: progressEnds) { ProgressStore(steps: [0, 5, 9]) },
        Fault("goes back", breaks: progressEnds) { ProgressStore(steps: [5, 3, 10]) },
        Fault("removes more than all", breaks: progressEnds) { ProgressStore(steps: [5, 12, 12, 10]) },
        Fault("loses count", breaks: tagged) { CountlessStore() },
        Fault(
            "takes what it looks for as a pattern", breaks: tagged, removeMany, older, prefix("text with wildcards"),
            prefix("any bytes"), prefix("a zero byte"), prefix("no bytes")
        ) { PatternStore() },
        Fault("ignores the case of prefixes", breaks: prefix("text")) { CaselessStore() },
        Fault("compares texts and not bytes", breaks: tagBytes, prefix("an accent")) { CanonicalStore() },
    ]

    private static let progressEnds =
        "`removeAll` reports progress that never decreases, and ends with all entries removed."
    private static let progressOfNothing = "`removeAll` of an empty store reports progress."
    private static let tagged =
        "`remove(tag:)` removes the entries with exactly that tag, even pinned ones, and returns their number."
    private static let tagBytes =
        "`remove(tag:)` compares bytes: tags that differ in how accents are composed are different tags."
    private static let older =
        "`remove(olderThan:)` removes older entries, even pinned ones, and returns their number."
    private static let removeMany = "`removeMany` removes these entries and no others, and ignores missing ones."

    private static func prefix(_ name: String) -> String {
        "`remove(prefix:)` of \(name) removes the keys that begin with it, and returns their number."
    }
}

private final class KeepingStore: BrokenStore {
    let store = ActorStore()

    func remove(_ key: CacheKey) async throws {}
}

/// Protects what is pinned, and misses what is not there.
private final class StrictStore: BrokenStore {
    let store = ActorStore()

    func remove(_ key: CacheKey) async throws {
        guard let entry = await store.get(key) else { throw CacheError(.invalid, "There is no entry \(key).") }
        if !entry.pinned { await store.remove(key) }
    }

    func removeAll(progress: @escaping @Sendable (CacheProgress) -> Void) async throws {
        for try await item in entries() where !item.pinned { await store.remove(item.key) }
        progress(CacheProgress(removed: 0, total: 0))
    }
}

/// Removes all, and says something else.
private final class ProgressStore: BrokenStore {
    let store = ActorStore()
    let steps: [Int]

    init(steps: [Int]) {
        self.steps = steps
    }

    func removeAll(progress: @escaping @Sendable (CacheProgress) -> Void) async throws {
        await store.removeAll { _ in }
        for step in steps { progress(CacheProgress(removed: step, total: 10)) }
    }
}

private final class CaselessStore: BrokenStore {
    let store = ActorStore()

    func remove(prefix: CacheKey) async throws -> Int {
        var keys: [CacheKey] = []
        for try await item in entries()
        where item.key.description.lowercased().hasPrefix(prefix.description.lowercased()) {
            keys.append(item.key)
        }
        try await removeMany(keys)
        return keys.count
    }
}

/// Takes texts for equal that only look the same, as Swift does.
private final class CanonicalStore: BrokenStore {
    let store = ActorStore()

    func remove(tag: String) async throws -> Int {
        try await remove { $0.tags.contains(tag) }
    }

    func remove(prefix: CacheKey) async throws -> Int {
        guard let text = prefix.text else { return try await store.remove(prefix: prefix) }
        return try await remove { $0.key.text?.hasPrefix(text) ?? false || $0.key.hasPrefix(prefix) }
    }

    private func remove(_ condition: (CacheItem) -> Bool) async throws -> Int {
        var keys: [CacheKey] = []
        for try await item in entries() where condition(item) { keys.append(item.key) }
        try await removeMany(keys)
        return keys.count
    }
}

private final class CountlessStore: BrokenStore {
    let store = ActorStore()

    func remove(tag: String) async throws -> Int {
        try await store.remove(tag: tag)
        return 0
    }
}

/// Compares as SQL does with `LIKE`, and the wrong way round, and stops where something is not as it expects.
private final class PatternStore: BrokenStore {
    let store = ActorStore()

    func remove(tag: String) async throws -> Int {
        try await remove { $0.tags.joined(separator: ",").contains(tag) }
    }

    func remove(prefix: CacheKey) async throws -> Int {
        let pattern = prefix.bytes.prefix { $0 != 0 }.map { $0 >= 128 ? 63 : $0 }
        return try await remove { item in
            !pattern.isEmpty && item.key.count >= pattern.count
                && zip(item.key.bytes, pattern).allSatisfy {
                    $0 == $1 || $1 == UInt8(ascii: "%") || $1 == UInt8(ascii: "_")
                }
        }
    }

    func remove(olderThan age: Duration) async throws -> Int {
        let limit = Date(timeIntervalSinceNow: -Double(age.components.seconds))
        return try await remove { $0.written > limit }
    }

    func removeMany(_ keys: [CacheKey]) async throws {
        for key in keys {
            guard await store.get(key) != nil else { return }
            await store.remove(key)
        }
    }

    private func remove(_ condition: (CacheItem) -> Bool) async throws -> Int {
        var removed = 0
        for try await item in entries() where condition(item) {
            await store.remove(item.key)
            removed += 1
        }
        return removed
    }
}

import TangoCache

extension Fault {
    /// Stores whose history or feed of changes is wrong.
    static let histories: [Fault] = [
        Fault("refuses everything", breaks: refused.map { "`set(_:for:unlessRemovedSince:)` \($0)." }) {
            HistoryStore(storesAll: false)
        },
        Fault(
            "ignores what was removed",
            breaks: waysToRemove.map {
                "`set(_:for:unlessRemovedSince:)` refuses an entry after \($0), also by another store."
            }
        ) { HistoryStore(storesAll: true) },
        Fault("has a history, and no moments", breaks: ["`moment` returns moments only if `hasHistory` is true."]) {
            MomentlessStore()
        },
        Fault("reports no changes", breaks: changes.map { "`changes` reports \($0) by another store." }) {
            [store = ActorStore()] in
            SilentStore(store: store)
        },
    ]

    private static let refused = [
        "stores an entry if nothing was removed since the moment", "ignores removals of other keys, prefixes and tags",
        "stores an entry that was removed before the moment", "ignores entries that were only replaced",
    ]
    private static let waysToRemove = [
        "`remove`", "`removeMany`", "`remove(prefix:)`", "`remove(prefix:)` of the whole key", "`remove(tag:)`",
        "`removeAll`",
    ]
    private static let changes = ["a `set`", "a `remove`", "a `remove(prefix:)`", "a `remove(tag:)`"]
}

/// A store that has moments, but no history.
private struct HistoryStore: BrokenStore {
    let store = ActorStore()
    let storesAll: Bool

    var hasHistory: Bool { true }

    func moment() async throws -> CacheMoment? { CacheMoment("now") }

    func set(
        _ entry: CacheEntry, for key: CacheKey, unlessRemovedSince moment: CacheMoment
    ) async throws -> Bool {
        if storesAll { try await store.set(entry, for: key) }
        return storesAll
    }
}

/// A store that claims a history.
private struct MomentlessStore: BrokenStore {
    let store = ActorStore()

    var hasHistory: Bool { true }
}

/// A store whose changes end at once.
private struct SilentStore: BrokenStore {
    let store: ActorStore

    func changes() -> CacheChanges? {
        let (changes, source) = CacheChanges.make()
        source.add(.all)
        source.finish()
        return changes
    }
}

import Foundation
import TangoCache

extension Fault {
    /// Stores whose history or feed of changes is wrong.
    static let histories: [Fault] =
        [
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
        + changes.map { change in
            Fault("does not report \(change)", breaks: "`changes` reports \(change) by another store.") {
                [shared = ReportingStore.Shared()] in
                ReportingStore(shared: shared, silence: change)
            }
        }

    private static let refused = [
        "stores an entry if nothing was removed since the moment", "ignores removals of other keys, prefixes and tags",
        "stores an entry that was removed before the moment", "ignores entries that were only replaced",
    ]
    private static let waysToRemove = [
        "`remove`", "`removeMany`", "`remove(prefix:)`", "`remove(prefix:)` of the whole key", "`remove(tag:)`",
        "`removeAll`",
    ]
    private static let changes = [
        "a `set`", "a `setMany`", "a `commit`", "a `set(_:for:unlessRemovedSince:)`", "a `remove`",
        "a `remove(prefix:)`", "a `remove(tag:)`", "a `removeAll`",
    ]
}

/// A store that reports all changes but those of one kind.
private final class ReportingStore: BrokenStore {
    struct Shared: Sendable {
        let store = ActorStore()
        let sources = Guarded<[(reader: UUID, source: CacheChanges.Source)]>([])
    }

    let shared: Shared
    let silence: String
    private let number = UUID()

    init(shared: Shared, silence: String) {
        self.shared = shared
        self.silence = silence
    }

    var store: ActorStore { shared.store }

    func changes() -> CacheChanges? {
        let (changes, source) = CacheChanges.make()
        source.add(.all)
        shared.sources.change { $0.append((number, source)) }
        return changes
    }

    private func report(_ change: CacheChange, _ name: String) {
        guard name != silence else { return }
        for (reader, source) in shared.sources.value where reader != number { source.add(change) }
    }

    func set(_ entry: CacheEntry, for key: CacheKey) async throws {
        try await store.set(entry, for: key)
        // Otherwise the rule could only wait.
        if key == "later" { report(.key(key), "later") } else { report(.key(key), "a `set`") }
    }

    func setMany(_ entries: [(key: CacheKey, entry: CacheEntry)]) async throws {
        try await store.setMany(entries)
        for (key, _) in entries { report(.key(key), "a `setMany`") }
    }

    func set(
        _ entry: CacheEntry, for key: CacheKey, unlessRemovedSince moment: CacheMoment
    ) async throws -> Bool {
        try await store.set(entry, for: key)
        report(.key(key), "a `set(_:for:unlessRemovedSince:)`")
        return true
    }

    var hasHistory: Bool { true }

    func moment() async throws -> CacheMoment? { CacheMoment("now") }

    func writer(for key: CacheKey, entry: CacheEntry) async throws -> CacheWriter {
        CacheWriter(Reporting(store: self, key: key, writer: try await store.writer(for: key, entry: entry)))
    }

    private final class Reporting: CacheWriter.Target {
        let store: ReportingStore
        let key: CacheKey
        let writer: CacheWriter

        init(store: ReportingStore, key: CacheKey, writer: CacheWriter) {
            self.store = store
            self.key = key
            self.writer = writer
        }

        func write(_ portion: Data) async throws { try await writer.write(portion) }

        func commit() async throws {
            try await writer.commit()
            store.report(.key(key), "a `commit`")
        }

        func abandon() { writer.abandon() }
    }

    func remove(_ key: CacheKey) async throws {
        await store.remove(key)
        report(.key(key), "a `remove`")
    }

    func remove(prefix: CacheKey) async throws -> Int {
        defer { report(.prefix(prefix), "a `remove(prefix:)`") }
        return try await store.remove(prefix: prefix)
    }

    func remove(tag: String) async throws -> Int {
        defer { report(.tag(tag), "a `remove(tag:)`") }
        return try await store.remove(tag: tag)
    }

    func removeAll(progress: @escaping @Sendable (CacheProgress) -> Void) async throws {
        await store.removeAll(progress: progress)
        report(.all, "a `removeAll`")
    }
}

/// A store that has moments, but no history.
private final class HistoryStore: BrokenStore {
    let store = ActorStore()
    let storesAll: Bool

    init(storesAll: Bool) {
        self.storesAll = storesAll
    }

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
private final class MomentlessStore: BrokenStore {
    let store = ActorStore()

    var hasHistory: Bool { true }
}

/// A store whose changes end at once.
private final class SilentStore: BrokenStore {
    let store: ActorStore

    init(store: ActorStore) {
        self.store = store
    }

    func changes() -> CacheChanges? {
        let (changes, source) = CacheChanges.make()
        source.add(.all)
        source.finish()
        return changes
    }
}

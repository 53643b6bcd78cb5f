import TangoCache

extension Fault {
    /// Stores that are right as long as their operations do not overlap.
    static let overlaps: [Fault] = [
        Fault("checks the history some time before it stores", breaks: removedAtOnce) {
            LateStore(isSlowToStore: true)
        },
        Fault("records a removal some time after it has removed the entries", breaks: removedAtOnce) {
            LateStore(isSlowToStore: false)
        },
        Fault(
            "reads the details after the body",
            breaks: "A read during a `set` returns the old entry or the new one, with its own metadata."
        ) { PartsStore(isSlowToRead: true) },
        Fault(
            "stores the details after the body",
            breaks: "A read during a `set` returns the old entry or the new one, with its own metadata.",
            "Of two `set`s of one key at once, one entry stays, with its own metadata."
        ) { PartsStore(isSlowToRead: false) },
    ]

    private static let removedAtOnce = [
        "`remove`", "`removeMany`", "`remove(prefix:)`", "`remove(prefix:)` of the whole key", "`remove(tag:)`",
        "`removeAll`",
    ].map { "`set(_:for:unlessRemovedSince:)` leaves no entry that \($0) removes at the same time." }
}

/// A store with a history, in which a step lasts until another operation has ended, however busy the machine is.
private final class LateStore: BrokenStore {
    let store = ActorStore()
    let removals = Guarded<[CacheChange]>([])
    /// The number of sets and removals that have ended.
    let ended = Guarded(0)
    let isSlowToStore: Bool

    init(isSlowToStore: Bool) {
        self.isSlowToStore = isSlowToStore
    }

    var hasHistory: Bool { true }

    func moment() async throws -> CacheMoment? { CacheMoment("\(removals.value.count)") }

    func set(
        _ entry: CacheEntry, for key: CacheKey, unlessRemovedSince moment: CacheMoment
    ) async throws -> Bool {
        let isRemoved = removals.value.dropFirst(Int(moment.text) ?? 0).contains { change in
            switch change {
            case .key(let removed): removed == key
            case .prefix(let prefix): key.hasPrefix(prefix)
            case .tag(let tag): entry.tags.contains(tag)
            case .all: true
            }
        }
        if isRemoved { return false }
        if isSlowToStore { try await takeTime() }
        try await store.set(entry, for: key)
        ended.change { $0 += 1 }
        return true
    }

    private func takeTime() async throws {
        let before = ended.value
        var turns = 0
        repeat {
            try await Task.sleep(for: .milliseconds(1))
            turns += 1
        } while turns < 3 || (turns < 12 && ended.value == before)
    }

    private func record(_ changes: [CacheChange], _ remove: () async throws -> Void) async throws {
        if isSlowToStore {
            removals.change { $0 += changes }
            try await remove()
        } else {
            try await remove()
            try await takeTime()
            removals.change { $0 += changes }
        }
        ended.change { $0 += 1 }
    }

    func remove(_ key: CacheKey) async throws {
        try await record([.key(key)]) { await store.remove(key) }
    }

    func removeMany(_ keys: [CacheKey]) async throws {
        try await record(keys.map { .key($0) }) { for key in keys { await store.remove(key) } }
    }

    func remove(prefix: CacheKey) async throws -> Int {
        var count = 0
        try await record([.prefix(prefix)]) { count = try await store.remove(prefix: prefix) }
        return count
    }

    func remove(tag: String) async throws -> Int {
        var count = 0
        try await record([.tag(tag)]) { count = try await store.remove(tag: tag) }
        return count
    }

    func removeAll(progress: @escaping @Sendable (CacheProgress) -> Void) async throws {
        try await record([.all]) { await store.removeAll(progress: progress) }
    }
}

/// A store that reads or stores the body of an entry and its details one after the other.
private final class PartsStore: BrokenStore {
    let store = ActorStore()
    /// The number of sets that have stored a body and not the details yet.
    let unfinished = Guarded(0)
    /// The number of sets that have ended.
    let ended = Guarded(0)
    let isSlowToRead: Bool

    init(isSlowToRead: Bool) {
        self.isSlowToRead = isSlowToRead
    }

    func get(_ key: CacheKey) async throws -> CacheEntry? {
        let before = ended.value
        guard isSlowToRead, let old = await store.get(key) else { return await store.get(key) }
        // A read that may overlap with a `set` reads the details after it, however busy the machine is.
        var turns = old.metadata["sample"] == nil ? 1 : 12
        repeat {
            try await Task.sleep(for: .milliseconds(1))
            turns -= 1
        } while turns > 0 && ended.value == before
        var entry = await store.get(key)
        entry?.body = old.body
        return entry
    }

    func set(_ entry: CacheEntry, for key: CacheKey) async throws {
        if !isSlowToRead, var old = await store.get(key) {
            old.body = entry.body
            try await store.set(old, for: key)
            unfinished.change { $0 += 1 }
            defer { unfinished.change { $0 -= 1 } }
            // One entry stores its details after all others that are on their way, however busy the machine is.
            var waits = entry.metadata["sample"] == "1" ? 200 : 1
            repeat {
                try await Task.sleep(for: .milliseconds(1))
                waits -= 1
            } while waits > 0 && (waits > 198 || unfinished.value > 1)
            var new = entry
            new.body = await store.get(key)?.body ?? entry.body
            return try await store.set(new, for: key)
        }
        try await store.set(entry, for: key)
        ended.change { $0 += 1 }
    }
}

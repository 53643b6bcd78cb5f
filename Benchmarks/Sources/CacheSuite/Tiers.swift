import Harness
import Synchronization
import Tango

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Memory in front of a store on disk.
func tiers(_ size: Size) -> Group {
    let body = BodySize.all[1]
    let count = size(body.operations)
    let plain = Kept { try PlainFiles(body) }
    let filled = Kept { try await Filled(body, count: body.entries) }
    let tiered = Kept { TieredStore(memory: MemoryStore(), over: try await filled.value.store) }
    let large = BodySize(name: "1 MB", bytes: 1 << 20, entries: 1, operations: 1, isSmall: false)
    let counting = Kept { Counting(try await Filled(large, count: 1)) }
    return Group(
        "Cache in memory and on disk, 2 KB (one operation: an entry; one task that awaits one after the other)",
        against: Reference(
            "file read, \(body.name)",
            .timed("ref: open, read, close a file of \(body.name)") {
                let paths = try await plain.value.paths
                return try nanoseconds(for: count) {
                    for number in 0..<count { keep(try PlainFiles.read(paths[number * 7 % paths.count])) }
                }
            }),
        [
            Row(
                "get, found in memory", operations: count,
                preparing: {
                    let store = try await tiered.value
                    let keys = try await filled.value.someKeys(count)
                    for key in keys { keep(try await store.get(key)) }
                    return (store, keys)
                },
                awaiting: { store, keys in
                    for key in keys { keep(try await store.get(key)) }
                }),
            Row(
                "get, found on disk, set in memory", operations: count,
                preparing: {
                    let store = try await tiered.value
                    store.memory.dropAll()
                    return (store, try await filled.value.keys.prefix(count))
                },
                awaiting: { store, keys in
                    for key in keys { keep(try await store.get(key)) }
                }),
            Row(
                "set, to both", operations: count,
                preparing: {
                    let filled = try await filled.value
                    return (try await tiered.value, filled.freshKeys(count), filled.entries)
                },
                awaiting: { store, keys, entries in
                    for (number, key) in keys.enumerated() {
                        try await store.set(entries[number % entries.count], for: key)
                    }
                }),
            .number("100 tasks that want one entry of 1 MB at once: loads", must: 1) {
                try await Double(stampede(counting.value))
            },
        ])
}

private func stampede(_ counting: Counting) async throws -> Int {
    let before = counting.loads
    let store = TieredStore(memory: MemoryStore(), over: counting)
    try await withThrowingTaskGroup { group in
        for _ in 0..<100 { group.addTask { try await store.get(counting.key) != nil } }
        for try await isFound in group where !isFound { throw PlainFiles.Failure() }
    }
    return counting.loads - before
}

/// A counter of the calls.
private final class Counting: CacheStore {
    let key: CacheKey
    private let filled: Filled
    private let count = Atomic(0)

    init(_ filled: Filled) {
        self.filled = filled
        key = filled.keys[0]
    }

    var loads: Int { count.load(ordering: .relaxed) }

    nonisolated(nonsending) func get(_ key: CacheKey) async throws -> CacheEntry? {
        count.wrappingAdd(1, ordering: .relaxed)
        return try await filled.store.get(key)
    }

    nonisolated(nonsending) func set(_ entry: CacheEntry, for key: CacheKey) async throws {
        try await filled.store.set(entry, for: key)
    }

    nonisolated(nonsending) func remove(_ key: CacheKey) async throws {
        try await filled.store.remove(key)
    }

    nonisolated(nonsending) func removeAll(progress: @escaping @Sendable (CacheProgress) -> Void) async throws {
        try await filled.store.removeAll(progress: progress)
    }

    func entries() -> CacheEntries {
        filled.store.entries()
    }
}

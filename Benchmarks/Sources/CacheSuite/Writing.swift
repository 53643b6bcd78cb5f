import Harness
import Tango

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes to disk. Each returns once it survives a kill of the process.
func writing(_ body: BodySize, _ size: Size) -> Group {
    let count = size(body.operations)
    let plain = Kept { try PlainFiles(body) }
    let store = Kept { try await Filled(body, count: size(body.entries)) }
    var rows = [setRow(body, count, store)]
    if body.isSmall { rows.append(setManyRow(body, max(100, count), store)) }
    rows += [overwriteRow(body, count, store), removeRow(body, count, store)]
    if body.bytes == 2_048 { rows.append(evictingRow(body, count, size)) }
    return Group(
        "Cache on disk, writing \(body.name) (one operation: an entry; one task that awaits one after the other)",
        against: Reference(
            "file write, \(body.name)",
            .timed("ref: write a file of \(body.name) aside, rename it") {
                try await plain.value.timeToWrite(max(2, count / 4))
            }), rows)
}

private func setRow(_ body: BodySize, _ count: Int, _ store: Kept<Filled>) -> Row {
    Row(
        "set \(body.name), SQLite", operations: count,
        preparing: {
            let filled = try await store.value
            return (filled, filled.freshKeys(count))
        },
        awaiting: { filled, keys in
            for (number, key) in keys.enumerated() { try await filled.store.set(filled.entry(number), for: key) }
        })
}

private func setManyRow(_ body: BodySize, _ count: Int, _ store: Kept<Filled>) -> Row {
    Row(
        "setMany of 100 of \(body.name), SQLite", operations: count,
        preparing: {
            let filled = try await store.value
            let entries = filled.freshKeys(count).enumerated().map { (key: $1, entry: filled.entry($0)) }
            return (filled.store, entries)
        },
        awaiting: { store, entries in
            for first in stride(from: 0, to: entries.count, by: 100) {
                try await store.setMany(Array(entries[first...].prefix(100)))
            }
        })
}

/// Overwrites each entry with another body, so that every page changes.
private func overwriteRow(_ body: BodySize, _ count: Int, _ store: Kept<Filled>) -> Row {
    let turn = Kept { Turn() }
    return Row(
        "overwrite \(body.name), SQLite", operations: count,
        preparing: {
            let shift = try await turn.value.next()
            return (try await store.value, shift)
        },
        awaiting: { filled, shift in
            for number in 0..<count {
                try await filled.store.set(
                    filled.entry(number + shift), for: filled.keys[number * 7 % filled.keys.count])
            }
        })
}

private actor Turn {
    private var number = 0

    func next() -> Int {
        number += 1
        return number
    }
}

private func removeRow(_ body: BodySize, _ count: Int, _ store: Kept<Filled>) -> Row {
    Row(
        "remove \(body.name), SQLite", operations: count,
        preparing: {
            let filled = try await store.value
            let keys = filled.freshKeys(count)
            for (number, key) in keys.enumerated() { try await filled.store.set(filled.entry(number), for: key) }
            return (filled.store, keys)
        },
        awaiting: { store, keys in
            for key in keys { try await store.remove(key) }
        })
}

/// Writes to a full store, so that each new entry evicts another.
private func evictingRow(_ body: BodySize, _ count: Int, _ size: Size) -> Row {
    let entries = size(body.entries)
    let store = Kept { try await Filled(body, count: entries, limits: CacheLimits(count: entries)) }
    return Row(
        "set \(body.name) where another has to go, SQLite", operations: count,
        preparing: {
            let filled = try await store.value
            return (filled, filled.freshKeys(count))
        },
        awaiting: { filled, keys in
            for (number, key) in keys.enumerated() { try await filled.store.set(filled.entry(number), for: key) }
        })
}

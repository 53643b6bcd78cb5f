import Harness
import Tango

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Reads from disk. The files are in the page cache of the system.
func reading(_ body: BodySize, _ size: Size) -> Group {
    let count = size(body.operations)
    let plain = Kept { try PlainFiles(body) }
    let store = Kept { try await Filled(body, count: size(body.entries)) }
    var rows = [getRow(body, count, store)]
    if body.bytes == 2_048 { rows.append(missRow(body, count, store)) }
    if body.isSmall { rows.append(getManyRow(body, count, store)) }
    return Group(
        "Cache on disk, reading \(body.name) (one operation: an entry; one task that awaits one after the other)",
        against: Reference(
            "file read, \(body.name)",
            .timed("ref: open, read, close a file of \(body.name)") {
                let paths = try await plain.value.paths
                return try nanoseconds(for: count) {
                    for number in 0..<count { keep(try PlainFiles.read(paths[number * 7 % paths.count])) }
                }
            }), rows + comparisons(body, count, plain))
}

private func getRow(_ body: BodySize, _ count: Int, _ store: Kept<Filled>) -> Row {
    // Unchecked reads of files are no fair measure for rows of a database, but they are for bodies in files.
    let goals: (must: Double, aim: Double)? = body.bytes == 204_800 ? (2, 1.5) : nil
    return Row(
        "get \(body.name), SQLite", operations: count, must: goals?.must, aim: goals?.aim,
        preparing: {
            let filled = try await store.value
            return (filled.store, filled.someKeys(count))
        },
        awaiting: { store, keys in
            for key in keys { keep(try await store.get(key)) }
        })
}

private func missRow(_ body: BodySize, _ count: Int, _ store: Kept<Filled>) -> Row {
    Row(
        "miss, SQLite", operations: count,
        preparing: {
            let filled = try await store.value
            return (filled.store, filled.freshKeys(count))
        },
        awaiting: { store, keys in
            for key in keys { keep(try await store.get(key)) }
        })
}

private func getManyRow(_ body: BodySize, _ count: Int, _ store: Kept<Filled>) -> Row {
    Row(
        "getMany of 100 of \(body.name), SQLite", operations: count,
        preparing: {
            let filled = try await store.value
            return (filled.store, filled.someKeys(count))
        },
        awaiting: { store, keys in
            for first in stride(from: 0, to: keys.count, by: 100) {
                keep(try await store.getMany(Array(keys[first...].prefix(100))))
            }
        })
}

private func comparisons(_ body: BodySize, _ count: Int, _ plain: Kept<PlainFiles>) -> [Row] {
    [
        .timed("plain: pread of one open file of \(body.name)", isComparison: true) {
            let descriptor = open(try await plain.value.paths[0], O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw PlainFiles.Failure() }
            defer { close(descriptor) }
            return try nanoseconds(for: count) {
                for _ in 0..<count { keep(try PlainFiles.read(descriptor, count: body.bytes)) }
            }
        },
        .timed("plain: Data(contentsOf:) of \(body.name)", isComparison: true) {
            let locations = try await plain.value.paths.map { URL(fileURLWithPath: $0) }
            return try nanoseconds(for: count) {
                for number in 0..<count { keep(try Data(contentsOf: locations[number * 7 % locations.count])) }
            }
        },
    ]
}

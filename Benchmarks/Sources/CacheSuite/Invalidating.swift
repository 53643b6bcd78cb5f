import Harness
import Tango

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The removal of the cached responses of one URL, after a POST, PUT, PATCH or DELETE.
func invalidating(_ size: Size) -> Group {
    let plain = Kept { try PlainFiles(BodySize.all[0]) }
    return Group(
        "Removing the responses of a URL from a store of so many entries (one operation: one URL, with one response)",
        against: Reference(
            "one file read",
            .timed("ref: open, read, close a file of 200 B, once") {
                let paths = try await plain.value.paths
                return try nanoseconds(for: 100) { for path in paths.prefix(100) { keep(try PlainFiles.read(path)) } }
            }),
        [100, 10_000, 100_000].flatMap { count in
            let count = max(100, size(count))
            return [
                row("in memory", count) { MemoryStore(limits: CacheLimits()) },
                row("on disk", count) {
                    try DiskStore(
                        directory: URL(fileURLWithPath: Scratch.newFolder(), isDirectory: true), limits: .farAway)
                },
            ]
        })
}

private func row(_ name: String, _ count: Int, _ open: @escaping @Sendable () throws -> any CacheStore) -> Row {
    let filled = Kept {
        let store = try open()
        for first in stride(from: 0, to: count, by: 1_000) {
            try await fill(store, first..<min(first + 1_000, count))
        }
        return store
    }
    return .timed("\(name), \(count.formatted()) entries") {
        let store = try await filled.value
        let chosen = (0..<100).map { $0 * (count / 100) }
        let prefixes = chosen.map { CacheKey("\(url($0))\n") }
        let time = try await nanoseconds(for: prefixes.count) {
            for prefix in prefixes { keep(try await store.remove(prefix: prefix)) }
        }
        for number in chosen { try await fill(store, number..<(number + 1)) }
        return time
    }
}

private func url(_ number: Int) -> String { "http https://api.example.com/articles/\(number)?page=1" }

private func fill(_ store: any CacheStore, _ numbers: Range<Int>) async throws {
    try await store.setMany(
        numbers.map { number in
            (
                key: CacheKey("\(url(number))\nanyone"),
                entry: CacheEntry(body: Data(count: 200), tags: ["anyone"])
            )
        })
}

import Foundation
import Harness
import Tango

private func key(_ number: Int) -> CacheKey { CacheKey("\(url(number))anyone") }
private func url(_ number: Int) -> String { "http https://api.example.com/articles/\(number)?page=1\n" }
private func tag(_ number: Int) -> String { "article \(number)" }

/// A store whose entries have an own tag and an own prefix each, and another one that all share.
private func filled<Store: CacheStore>(_ store: Store, _ count: Int) async throws -> Store {
    let body = Data(count: 200)
    for first in stride(from: 0, to: count, by: 1_000) {
        try await store.setMany(
            (first..<min(first + 1_000, count)).map { number in
                (key: key(number), entry: CacheEntry(body: body, tags: [tag(number), "all"]))
            })
    }
    return store
}

private func rows<Store: CacheStore>(
    _ dimension: String, _ upTo: [Int], operations: Int,
    _ open: @escaping @Sendable () throws -> Store
) -> [GrowthRow] {
    let stores = KeptForSizes(upTo) { count in try await filled(open(), count) }

    /// A row whose operation has a key. Numbers from `count` on are those of absent entries.
    func row(
        _ name: String, _ use: @escaping @Sendable (Store, _ present: Int, _ absent: Int) async throws -> Void
    ) -> GrowthRow {
        GrowthRow(name, beside: dimension, upTo) { count in
            let store = try await stores(count)
            return try await time(ofUpTo: operations) { number in
                // A prime number, so that the entries are spread over the store.
                try await use(store, number * 7_919 % count, count + number)
            }
        }
    }
    let entry = CacheEntry(body: Data(count: 200))
    return [
        row("get") { store, present, _ in keep(try await store.get(key(present))) },
        row("get a missing entry") { store, _, absent in keep(try await store.get(key(absent))) },
        row("set in place of another") { store, present, _ in
            try await store.set(CacheEntry(body: entry.body, tags: [tag(present), "all"]), for: key(present))
        },
        row("set and remove") { store, _, absent in
            try await store.set(entry, for: key(absent))
            try await store.remove(key(absent))
        },
        row("set and remove by prefix") { store, _, absent in
            try await store.set(entry, for: key(absent))
            try await store.remove(prefix: CacheKey(url(absent)))
        },
        row("set and remove by tag") { store, _, absent in
            try await store.set(CacheEntry(body: entry.body, tags: [tag(absent), "all"]), for: key(absent))
            try await store.remove(tag: tag(absent))
        },
    ]
}

func memory(_ sizes: Sizes) -> [GrowthRow] {
    rows("entries in memory", sizes(upTo: 1_000_000), operations: 5_000) { MemoryStore(limits: .unlimited) }
}

func disk(_ sizes: Sizes) -> [GrowthRow] {
    rows("entries on disk", sizes(upTo: 100_000), operations: 200) {
        try DiskStore(directory: URL(fileURLWithPath: Scratch.newFolder(), isDirectory: true), limits: .unlimited)
    }
}

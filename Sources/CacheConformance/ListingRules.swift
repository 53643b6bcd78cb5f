import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `entries` lists all entries without their bodies. `statistics` counts them.
extension CacheStoreConformance.Rule {
    static let listing: [Self] = [
        Self("An empty store lists nothing.") { trial in
            try await trial.expectListed([])
        },
        Self("Each listing has all entries, each once.") { trial in
            let keys = (0..<300).map { CacheKey("key-\($0)") }
            try await trial.store.setMany(keys.map { (key: $0, entry: CacheEntry(body: Data([1, 2, 3]))) })
            try await trial.expectListed(keys)
            try await trial.expectListed(keys)
        },
        Self("A listed entry has its size, metadata, expiry, tags, pin and time of writing.") { trial in
            let entry = CacheEntry(
                body: Sample.bytes(20_001, of: 1), metadata: ["etag": "x"], expires: Date(timeIntervalSinceNow: 3_600),
                tags: ["one", "two"], pinned: true, written: Date(timeIntervalSince1970: 1_000_000))
            try await trial.store.set(entry, for: "a")
            try await trial.store.set(Sample.entry(2), for: "b")
            let items = try await trial.items()
            try trial.expect(entry, listed: items["a"], at: "a")
            try trial.expect(Sample.entry(2), listed: items["b"], at: "b")
        },
        Self("Entries that stay are listed once, even if others are removed meanwhile.") { trial in
            let keys = (0..<300).map { CacheKey("key-\($0)") }
            try await trial.store.setMany(keys.map { (key: $0, entry: CacheEntry(body: Data([1, 2, 3]))) })
            var listed: Set<CacheKey> = []
            for try await item in trial.store.entries() {
                try await trial.store.remove(item.key)
                listed.insert(item.key)
            }
            try trial.expect("the number of entries listed", keys.count, got: listed.count)
            try await trial.expectListed([])
        },
        Self("`statistics` counts the entries and the pinned ones.") { trial in
            for number in 0..<6 {
                var entry = Sample.entry(number)
                entry.pinned = number < 2
                try await trial.store.set(entry, for: "key-\(number)")
            }
            try await trial.store.set(Sample.entry(9), for: "key-5")
            try await trial.store.remove("key-4")
            let statistics = try await trial.store.statistics()
            try trial.expect("the count", 5, got: statistics.count)
            try trial.expect("the count of pinned entries", 2, got: statistics.pinnedCount)
            try await trial.store.removeAll()
            try trial.expect("the count of an empty store", 0, got: try await trial.store.statistics().count)
        },
    ]

    private typealias Sample = CacheStoreConformance.Sample
}

extension CacheStoreConformance.Trial {
    /// Returns the listed items, by key.
    func items() async throws -> [CacheKey: CacheItem] {
        var items: [CacheKey: CacheItem] = [:]
        for try await item in store.entries() { items[item.key] = item }
        return items
    }

    /// Expects that a listed item has the key, size and details of an entry.
    func expect(_ entry: CacheEntry, listed item: CacheItem?, at key: CacheKey) throws {
        let place = "listed under \(Self.name(of: key))"
        guard let item else { throw CacheStoreConformance.Mismatch(expected: "an entry \(place)", got: "none") }
        try expect("the key \(place)", key, got: item.key)
        try expect("the size \(place)", entry.body.count, got: item.size)
        try expectText("the metadata \(place)", Self.texts(of: entry.metadata), got: Self.texts(of: item.metadata))
        try expectText("the tags \(place)", Self.texts(of: entry.tags), got: Self.texts(of: item.tags))
        try expect("pinned \(place)", entry.pinned, got: item.pinned)
        try expectTime("the expiry \(place)", entry.expires, got: item.expires)
        if let written = entry.written { try expectTime("the time of writing \(place)", written, got: item.written) }
    }
}

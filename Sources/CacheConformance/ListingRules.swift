/// `entries` lists all entries without their bodies. `statistics` counts them.
extension Rule {
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
                try await trial.store.set(Sample.entry(number, pinned: number < 2), for: "key-\(number)")
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
}

extension Trial {
    func items() async throws -> [CacheKey: CacheItem] {
        var items: [CacheKey: CacheItem] = [:]
        for try await item in store.entries() { items[item.key] = item }
        return items
    }

    /// Expects that a listed item has the key, size and details of an entry.
    func expect(_ entry: CacheEntry, listed item: CacheItem?, at key: CacheKey) throws {
        let place = "listed under \(Self.name(of: key))"
        guard let item else { throw Mismatch(expected: "an entry \(place)", got: "none") }
        try expect("the key \(place)", key, got: item.key)
        try expect("the size \(place)", entry.body.count, got: item.size)
        try expectText("the metadata \(place)", Self.texts(of: entry.metadata), got: Self.texts(of: item.metadata))
        try expectText("the tags \(place)", Self.texts(of: entry.tags), got: Self.texts(of: item.tags))
        try expect("pinned \(place)", entry.pinned, got: item.pinned)
        try expectTime("the expiry \(place)", entry.expires, got: item.expires)
        if let written = entry.written { try expectTime("the time of writing \(place)", written, got: item.written) }
    }
}

/// Methods for several keys have the effect of several calls one after the other.
extension Rule {
    static let many: [Self] = [
        Self("`getMany` returns entries in the order of the keys, with nil for missing ones, also for repeated keys.") {
            trial in
            for number in 1...3 { try await trial.store.set(Sample.entry(number), for: "key-\(number)") }
            let keys: [CacheKey] = ["key-3", "no", "key-1", "key-3", "key-2", "no", ""]
            let expected = [Sample.entry(3), nil, Sample.entry(1), Sample.entry(3), Sample.entry(2), nil, nil]
            let found = try await trial.store.getMany(keys)
            try trial.expect("the number of results", keys.count, got: found.count)
            for (key, (expected, got)) in zip(keys, zip(expected, found)) {
                try trial.expect(expected, got: got, at: key)
            }
        },
        Self("`setMany` stores all entries, and the last one for a repeated key.") { trial in
            var entries: [(key: CacheKey, entry: CacheEntry)] = (0..<200).map { ("key-\($0)", Sample.entry($0)) }
            entries.append((key: "key-7", entry: Sample.entry(1_007)))
            entries.append((key: "large", entry: CacheEntry(body: Sample.bytes(100_000, of: 5))))
            try await trial.store.setMany(entries)
            for (key, entry) in entries.dropFirst(8) { try await trial.expect(entry, at: key) }
            try await trial.expect(Sample.entry(6), at: "key-6")
            try await trial.expectListed(entries.map(\.key).filter { $0 != "key-7" } + ["key-7"])
        },
        Self("`removeMany` removes these entries and no others, and ignores missing ones.") { trial in
            for number in 0..<6 { try await trial.store.set(Sample.entry(number), for: "key-\(number)") }
            try await trial.store.removeMany(["key-1", "no", "key-4", "key-1"])
            try await trial.expectListed(["key-0", "key-2", "key-3", "key-5"])
            try await trial.expect(nil, at: "key-4")
        },
        Self("The methods for several keys accept an empty list and change nothing then.") { trial in
            try await trial.store.set(Sample.entry(1), for: "a")
            try trial.expect("the number of results", 0, got: try await trial.store.getMany([]).count)
            try await trial.store.setMany([(key: CacheKey, entry: CacheEntry)]())
            try await trial.store.removeMany([])
            try await trial.expect(Sample.entry(1), at: "a")
            try await trial.expectListed(["a"])
        },
    ]
}

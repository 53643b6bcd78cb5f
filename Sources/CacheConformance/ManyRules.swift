import TangoCache

/// Methods for several keys have the effect of several calls one after the other.
extension CacheStoreConformance.Rule {
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

    private typealias Sample = CacheStoreConformance.Sample
}

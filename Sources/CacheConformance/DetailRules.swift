import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `get` returns the metadata, the tags and the pin that the last `set` stored.
extension CacheStoreConformance.Rule {
    static let metadata: [Self] = samples.map { name, metadata in
        Self("Metadata may be \(name).") { trial in
            let entry = CacheEntry(body: Sample.bytes(100, of: 1), metadata: metadata)
            try await trial.store.set(entry, for: "a")
            try await trial.expect(entry, at: "a")
        }
    }

    static let details: [Self] = [
        Self("Tags are stored.") { trial in
            let entry = CacheEntry(
                body: Sample.bytes(100, of: 1),
                tags: ["", "users", "a,b", "a\u{0}b", "two words", "schlüssel 🔑", "%_'\""])
            try await trial.store.set(entry, for: "a")
            try await trial.expect(entry, at: "a")
        },
        Self("Metadata and tags are returned byte for byte, however accents are composed.") { trial in
            for form in ["\u{e9}", "e\u{301}", "\u{212b}", "A\u{30a}"] {
                let entry = CacheEntry(body: Sample.bytes(100, of: 1), metadata: [form: form], tags: [form])
                try await trial.store.set(entry, for: "a")
                try await trial.expect(entry, at: "a")
                try trial.expect(entry, listed: try await trial.items()["a"], at: "a")
            }
        },
        Self("A pin is stored.") { trial in
            let pinned = CacheEntry(body: Sample.bytes(100, of: 1), pinned: true)
            try await trial.store.set(pinned, for: "a")
            try await trial.store.set(Sample.entry(2), for: "b")
            try await trial.expect(pinned, at: "a")
            try await trial.expect(Sample.entry(2), at: "b")
        },
        Self("An entry with an empty body keeps its metadata, expiry, tags and pin.") { trial in
            let entry = CacheEntry(
                body: Data(), metadata: ["a": "b"], expires: Date(timeIntervalSinceNow: 3_600), tags: ["c"],
                pinned: true)
            try await trial.store.set(entry, for: "a")
            try await trial.expect(entry, at: "a")
        },
        Self("The decoded object of an entry is returned with that entry or not at all.") { trial in
            var entry = Sample.entry(1)
            entry.object = "one"
            try await trial.store.set(entry, for: "a")
            let first = try await trial.store.get("a")
            try trial.expect("the object", "one", got: first?.object.map { "\($0)" } ?? "one")
            try await trial.store.set(Sample.entry(2), for: "a")
            let second = try await trial.store.get("a")
            try trial.expect("the object", nil, got: second?.object.map { "\($0)" })
        },
    ]

    private typealias Sample = CacheStoreConformance.Sample

    private static let samples: [(name: String, metadata: [String: String])] = [
        ("one pair", ["etag": "\"x\""]),
        ("text of any script", ["schlüssel": "wert", "鍵": "値", "🔑": "🗝️", "مفتاح": "قيمة"]),
        ("empty strings", ["": "", "a": "", "b": " "]),
        ("text with zero characters", ["a\u{0}b": "c\u{0}d", "a": "\u{0}"]),
        ("text with line ends, quotes and separators", ["a=b&c": "d\r\ne;f,g", "'\"": "\"'\\", "{": "}: [1, 2]"]),
        ("many pairs", Dictionary(uniqueKeysWithValues: (0..<300).map { ("name-\($0)", "value-\($0 * 7)") })),
        ("a long text", ["long": String(repeating: "0123456789", count: 5_000)]),
    ]
}

/// `get` returns the metadata, the tags and the pin that the last `set` stored.
extension Rule {
    static let metadata: [Self] = samples.map { name, metadata in
        Self("Metadata may be \(name).") { trial in
            let entry = CacheEntry(body: Sample.bytes(100, of: 1), metadata: metadata)
            try await trial.roundTrip(entry, at: "a")
        }
    }

    static let details: [Self] = [
        Self("Tags are stored.") { trial in
            let entry = CacheEntry(
                body: Sample.bytes(100, of: 1),
                tags: ["", "users", "a,b", "a\u{0}b", "two words", "schlüssel 🔑", "%_'\""])
            try await trial.roundTrip(entry, at: "a")
        },
        Self("Metadata and tags are returned byte for byte, however accents are composed.") { trial in
            for form in ["\u{e9}", "e\u{301}", "\u{212b}", "A\u{30a}"] {
                let entry = CacheEntry(body: Sample.bytes(100, of: 1), metadata: [form: form], tags: [form])
                try await trial.roundTrip(entry, at: "a")
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
            try await trial.roundTrip(entry, at: "a")
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

/// `get` returns the body that the last `set` stored.
extension Rule {
    static let bodies: [Self] =
        sizes.map { size in
            Self("A body of \(size) bytes is returned unchanged.") { trial in
                let entry = CacheEntry(body: Sample.bytes(size, of: size))
                try await trial.roundTrip(entry, at: "a")
                try await trial.expect(entry, at: "a")
            }
        } + [
            Self("A body of only zero bytes is returned unchanged.") { trial in
                for size in [1, 8, 4_096, 20_000] {
                    let entry = CacheEntry(body: Data(repeating: 0, count: size))
                    try await trial.roundTrip(entry, at: "a")
                }
            },
            Self("A body may be a slice of other data. The returned body begins at index 0.") { trial in
                for size in [10, 20_000, 70_000] {
                    let slice = Sample.bytes(size + 200, of: size)[100..<100 + size]
                    try await trial.store.set(CacheEntry(body: slice), for: "a")
                    try await trial.expect(CacheEntry(body: Data(slice)), at: "a")
                }
            },
            Self("Changing a body after it was read or set does not change the store.") { trial in
                var entry = Sample.entry(1)
                try await trial.store.set(entry, for: "a")
                entry.body[0] ^= 0xff
                try await trial.expect(Sample.entry(1), at: "a")
                if var read = try await trial.store.get("a") { read.body.append(contentsOf: [1, 2, 3]) }
                try await trial.expect(Sample.entry(1), at: "a")
            },
        ]

    /// Sizes near those at which stores change how they store bytes.
    static let sizes = [
        0, 1, 2, 7, 8, 9, 255, 256, 4_095, 4_096, 4_097, 16_383, 16_384, 16_385, 65_535, 65_536, 65_537, 1_000_000,
        3 << 20 | 1,
    ]
}

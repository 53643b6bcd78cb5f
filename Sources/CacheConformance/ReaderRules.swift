/// A body can be read in portions to its end, even if the entry is replaced or removed meanwhile.
extension Rule {
    static let readers: [Self] =
        [0, 1, 16_384, 65_537, 3 << 20 | 1].map { size in
            Self("A body of \(size) bytes is returned unchanged in portions.") { trial in
                let entry = CacheEntry(body: Sample.bytes(size, of: size))
                try await trial.store.set(entry, for: "a")
                try trial.expect(entry, got: try await trial.read("a"), at: "a")
            }
        } + [
            Self("A missing entry has no reader.") { trial in
                try trial.expect("whether there is a reader", false, got: try await trial.store.reader(for: "a") != nil)
            },
            Self("A reader has the size, metadata, expiry, tags, pin and time of writing of its entry.") { trial in
                let entry = CacheEntry(
                    body: Sample.bytes(70_000, of: 1), metadata: ["etag": "x"],
                    expires: Date(timeIntervalSinceNow: 3_600), tags: ["one"], pinned: true,
                    written: Date(timeIntervalSince1970: 1_000_000))
                try await trial.store.set(entry, for: "a")
                try trial.expect(entry, listed: try await trial.store.reader(for: "a")?.item, at: "a")
            },
            outliving("is replaced") { store in try await store.set(Sample.entry(2), for: "a") },
            outliving("is removed") { store in try await store.remove("a") },
            outliving("is removed with all others") { store in try await store.removeAll() },
        ]

    private static func outliving(
        _ event: String, _ change: @escaping @Sendable (any CacheStore) async throws -> Void
    ) -> Self {
        Self("A reader reads the old body to its end even if the entry \(event).") { trial in
            for size in [1_000, 1 << 20] {
                let entry = CacheEntry(body: Sample.bytes(size, of: size))
                try await trial.store.set(entry, for: "a")
                guard let begun = try await trial.store.reader(for: "a"),
                    let waiting = try await trial.store.reader(for: "a")
                else { throw Mismatch(expected: "a reader", got: "none") }
                var portions = begun.makeAsyncIterator()
                let first = try await portions.next() ?? Data()
                try await change(trial.store)
                try trial.expect(entry, got: CacheEntry(body: first + (try await trial.collect(begun))), at: "a")
                try trial.expect(entry, got: CacheEntry(body: try await trial.collect(waiting)), at: "a")
                let now = try await trial.store.get("a")?.body
                try trial.expect("whether the old body is still there", false, got: now == entry.body)
            }
        }
    }
}

extension Trial {
    /// Returns the remaining body of a reader, read in portions.
    func collect(_ reader: CacheReader) async throws -> Data {
        var body = Data()
        for try await portion in reader {
            try expect("the first index of a portion", 0, got: portion.startIndex)
            body.append(portion)
        }
        return body
    }

    /// Returns the entry under a key, read in portions.
    func read(_ key: CacheKey) async throws -> CacheEntry? {
        guard let reader = try await store.reader(for: key) else { return nil }
        let item = reader.item
        let body = try await collect(reader)
        try expect("the size in the item of the reader", body.count, got: item.size)
        return CacheEntry(
            body: body, metadata: item.metadata, expires: item.expires, tags: item.tags, pinned: item.pinned,
            written: item.written)
    }
}

/// A body can be written in portions. The entry is not visible before `commit`.
extension Rule {
    static let writers: [Self] =
        [0, 1, 16_384, 65_537, 3 << 20 | 1].map { size in
            Self("A body of \(size) bytes that is written in portions is returned unchanged.") { trial in
                let entry = CacheEntry(body: Sample.bytes(size, of: size))
                try await trial.write(entry, for: "a", portion: 50_000)
                try await trial.expect(entry, at: "a")
                try trial.expect(entry, got: try await trial.read("a"), at: "a")
                try await trial.expectListed(["a"])
            }
        } + [
            Self("An entry that is written in portions keeps its metadata, tags, expiry, pin and time.") { trial in
                let entry = CacheEntry(
                    body: Sample.bytes(70_000, of: 1), metadata: ["etag": "x", "é": "\u{0}"],
                    expires: Date(timeIntervalSinceNow: 3_600), tags: ["one", "two"], pinned: true,
                    written: Date(timeIntervalSince1970: 1_000_000))
                try await trial.write(entry, for: "a", portion: 10_000)
                try await trial.expect(entry, at: "a")
                try trial.expect(entry, listed: try await trial.items()["a"], at: "a")
                try trial.expect("the number removed by a tag", 1, got: try await trial.store.remove(tag: "two"))
            },
            Self("The body of the entry is the first portion, and portions may be empty or slices.") {
                trial in
                let body = Sample.bytes(1_000, of: 1)
                let writer = try await trial.store.writer(for: "a", entry: CacheEntry(body: body.prefix(100)))
                for portion in [body[100..<100], body[100..<101], body[101..<700], Data(), body[700...]] {
                    try await writer.write(portion)
                }
                try await writer.commit()
                try await trial.expect(CacheEntry(body: body), at: "a")
            },
            Self("Nothing is visible before `commit`.") { trial in
                let writer = try await trial.store.writer(for: "a", entry: Sample.entry(1))
                try await writer.write(Sample.bytes(100_000, of: 2))
                try await trial.expect(nil, at: "a")
                try await trial.expectListed([])
                try trial.expect("whether there is a reader", false, got: try await trial.store.reader(for: "a") != nil)
                try await writer.commit()
                try await trial.expectListed(["a"])
            },
            Self("The old entry is returned until `commit`, and then the new one.") { trial in
                try await trial.store.set(Sample.entry(1), for: "a")
                let writer = try await trial.store.writer(for: "a")
                try await writer.write(Sample.bytes(100_000, of: 2))
                try await trial.expect(Sample.entry(1), at: "a")
                try await writer.commit()
                try await trial.expect(CacheEntry(body: Sample.bytes(100_000, of: 2)), at: "a")
                try await trial.expectListed(["a"])
            },
            abandoned("is abandoned") { writer in writer.abandon() },
            abandoned("is released") { _ in },
            Self("Of two writers of one key, the one that commits last wins.") { trial in
                let one = try await trial.store.writer(for: "a", entry: Sample.entry(1))
                let other = try await trial.store.writer(for: "a", entry: Sample.entry(2))
                try await other.commit()
                try await trial.expect(Sample.entry(2), at: "a")
                try await one.commit()
                try await trial.expect(Sample.entry(1), at: "a")
                try await trial.expectListed(["a"])
            },
            Self("`commit` replaces an entry that was set since the writer was created.") { trial in
                let writer = try await trial.store.writer(for: "a", entry: Sample.entry(1))
                try await trial.roundTrip(Sample.entry(2), at: "a")
                try await writer.commit()
                try await trial.expect(Sample.entry(1), at: "a")
            },
        ]

    private static func abandoned(_ event: String, _ end: @escaping @Sendable (CacheWriter) -> Void) -> Self {
        Self("A writer that \(event) before `commit` leaves nothing, and the old entry stays.") { trial in
            try await trial.store.set(Sample.entry(1), for: "old")
            for key in ["old", "new"] as [CacheKey] {
                let writer = try await trial.store.writer(for: key)
                try await writer.write(Sample.bytes(100_000, of: 2))
                end(writer)
            }
            try await trial.expect(Sample.entry(1), at: "old")
            try await trial.expect(nil, at: "new")
            try await trial.expectListed(["old"])
        }
    }
}

extension Trial {
    func write(_ entry: CacheEntry, for key: CacheKey, portion: Int) async throws {
        var rest = entry.body
        var head = entry
        head.body = Data()
        let writer = try await store.writer(for: key, entry: head)
        while !rest.isEmpty {
            try await writer.write(rest.prefix(portion))
            rest = rest.dropFirst(portion)
        }
        try await writer.commit()
    }
}

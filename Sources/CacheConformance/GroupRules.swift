/// Entries are removed together by tag, by a prefix of their keys, and by age.
extension Rule {
    static let groups: [Self] = [
        Self("`remove(tag:)` removes the entries with exactly that tag, even pinned ones, and returns their number.") {
            trial in
            let tags: [Set<String>] = [["user"], ["users"], ["User"], ["user", "b"], ["user,b"], [], ["b"], ["us%"]]
            for (number, tags) in tags.enumerated() {
                try await trial.store.set(Sample.entry(number, tags: tags, pinned: number == 3), for: "key-\(number)")
            }
            try trial.expect("the number removed", 2, got: try await trial.store.remove(tag: "user"))
            try await trial.expectListed(["key-1", "key-2", "key-4", "key-5", "key-6", "key-7"])
            try trial.expect("the number removed a second time", 0, got: try await trial.store.remove(tag: "user"))
            try trial.expect("the number removed", 1, got: try await trial.store.remove(tag: "us%"))
            try trial.expect("the number removed by an empty tag", 0, got: try await trial.store.remove(tag: ""))
        },
        Self("`remove(tag:)` compares bytes: tags that differ in how accents are composed are different tags.") {
            trial in
            for (number, tag) in ["\u{e9}", "e\u{301}"].enumerated() {
                try await trial.store.set(Sample.entry(number, tags: [tag]), for: "key-\(number)")
            }
            try trial.expect("the number removed", 1, got: try await trial.store.remove(tag: "e\u{301}"))
            try await trial.expectListed(["key-0"])
            try trial.expect("the number removed", 1, got: try await trial.store.remove(tag: "\u{e9}"))
        },
        prefix(
            "an accent", "\u{e9}/", removes: ["\u{e9}/", "\u{e9}/a"], keeps: ["e\u{301}/", "e\u{301}/a", "\u{e9}", "e"]),
        prefix("text", "a/", removes: ["a/", "a/b", "a/b/c"], keeps: ["a", "A/b", "b/a/", "ab"]),
        prefix("text with wildcards", "5%_*", removes: ["5%_*", "5%_*x"], keeps: ["50_*", "5%a*", "5%_", "5%_x"]),
        prefix("any bytes", [0xff], removes: [[0xff], [0xff, 0xff], [0xff, 0]], keeps: [[0xfe, 0xff], [0], []]),
        prefix("a zero byte", [97, 0], removes: [[97, 0], [97, 0, 1]], keeps: [[97], [97, 1], [97, 98]]),
        prefix("no bytes", [], removes: [[], [0], [97], [0xff, 0xff]], keeps: []),
        Self("`remove(olderThan:)` removes older entries, even pinned ones, and returns their number.") {
            trial in
            for (number, age) in [7_200.0, 5_400, 1_800, 60].enumerated() {
                let entry = Sample.entry(number, pinned: number == 1, written: Date(timeIntervalSinceNow: -age))
                try await trial.store.set(entry, for: "key-\(number)")
            }
            try await trial.store.set(Sample.entry(4), for: "key-4")
            let removed = try await trial.store.remove(olderThan: .seconds(3_600))
            try trial.expect("the number removed", 2, got: removed)
            try await trial.expectListed(["key-2", "key-3", "key-4"])
            try await trial.expect(Sample.entry(4), at: "key-4")
        },
    ]

    private static func prefix(
        _ name: String, _ prefix: CacheKey, removes: [CacheKey], keeps: [CacheKey]
    ) -> Self {
        Self("`remove(prefix:)` of \(name) removes the keys that begin with it, and returns their number.") { trial in
            for (number, key) in (removes + keeps).enumerated() {
                try await trial.store.set(Sample.entry(number, pinned: number == 0), for: key)
            }
            try trial.expect("the number removed", removes.count, got: try await trial.store.remove(prefix: prefix))
            try await trial.expectListed(keeps)
            for (number, key) in keeps.enumerated() {
                try await trial.expect(Sample.entry(removes.count + number), at: key)
            }
        }
    }

    private static func prefix(_ name: String, _ prefix: [UInt8], removes: [[UInt8]], keeps: [[UInt8]]) -> Self {
        self.prefix(
            name, CacheKey(bytes: prefix), removes: removes.map { CacheKey(bytes: $0) },
            keeps: keeps.map { CacheKey(bytes: $0) })
    }
}

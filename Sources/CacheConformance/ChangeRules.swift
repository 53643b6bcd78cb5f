import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A set entry replaces the entry before it. A removed entry is gone.
extension CacheStoreConformance.Rule {
    static let changes: [Self] = [
        Self("A key that was never set has no entry.") { trial in
            try await trial.expect(nil, at: "a")
            try await trial.store.set(Sample.entry(1), for: "b")
            try await trial.expect(nil, at: "a")
        },
        Self("The entry that was set last is returned.") { trial in
            for number in 1...10 {
                try await trial.store.set(Sample.entry(number), for: "a")
                try await trial.expect(Sample.entry(number), at: "a")
            }
            try await trial.expectListed(["a"])
        },
        Self("A body may be replaced by one of any other size.") { trial in
            for size in [10, 100_000, 0, 20_000, 20_000, 1, 300_000, 5] {
                let entry = CacheEntry(body: Sample.bytes(size, of: size))
                try await trial.store.set(entry, for: "a")
                try await trial.expect(entry, at: "a")
            }
        },
        Self("A new entry inherits nothing from the old one.") { trial in
            let old = CacheEntry(
                body: Sample.bytes(500, of: 1), metadata: ["old": "yes"], expires: Date(timeIntervalSinceNow: 3_600),
                tags: ["old"], pinned: true)
            let new = CacheEntry(body: Sample.bytes(400, of: 2))
            try await trial.store.set(old, for: "a")
            try await trial.store.set(new, for: "a")
            try await trial.expect(new, at: "a")
            try trial.expect("entries removed by the old tag", 0, got: try await trial.store.remove(tag: "old"))
            try await trial.expect(new, at: "a")
        },
    ]

    static let removals: [Self] = [
        Self("`remove` removes the entry under its key and no other.") { trial in
            for number in 0..<5 { try await trial.store.set(Sample.entry(number), for: "key-\(number)") }
            try await trial.store.remove("key-2")
            for number in 0..<5 {
                try await trial.expect(number == 2 ? nil : Sample.entry(number), at: "key-\(number)")
            }
            try await trial.expectListed(["key-0", "key-1", "key-3", "key-4"])
        },
        Self("Removing a missing entry is not an error.") { trial in
            try await trial.store.remove("a")
            try await trial.store.set(Sample.entry(1), for: "a")
            try await trial.store.remove("a")
            try await trial.store.remove("a")
            try await trial.expectListed([])
        },
        Self("A removed entry can be set again.") { trial in
            for number in 1...3 {
                try await trial.store.set(Sample.entry(number), for: "a")
                try await trial.store.remove("a")
                try await trial.expect(nil, at: "a")
                try await trial.store.set(Sample.entry(number + 10), for: "a")
                try await trial.expect(Sample.entry(number + 10), at: "a")
            }
        },
        Self("A pinned entry can be removed.") { trial in
            try await trial.store.set(CacheEntry(body: Sample.bytes(100, of: 1), pinned: true), for: "a")
            try await trial.store.remove("a")
            try await trial.expect(nil, at: "a")
        },
    ]

    private typealias Sample = CacheStoreConformance.Sample
}

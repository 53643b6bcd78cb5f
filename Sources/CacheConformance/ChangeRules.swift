import Synchronization

/// A set entry replaces the entry before it. A removed entry is gone.
extension Rule {
    static let changes: [Self] = [
        Self("A key that was never set has no entry.") { trial in
            try await trial.expect(nil, at: "a")
            try await trial.store.set(Sample.entry(1), for: "b")
            try await trial.expect(nil, at: "a")
        },
        Self("The entry that was set last is returned.") { trial in
            for number in 1...10 {
                try await trial.roundTrip(Sample.entry(number), at: "a")
            }
            try await trial.expectListed(["a"])
        },
        Self("A body may be replaced by one of any other size.") { trial in
            for size in [10, 100_000, 0, 20_000, 20_000, 1, 300_000, 5] {
                let entry = CacheEntry(body: Sample.bytes(size, of: size))
                try await trial.roundTrip(entry, at: "a")
            }
        },
        Self("A new entry inherits nothing from the old one.") { trial in
            let old = CacheEntry(
                body: Sample.bytes(500, of: 1), metadata: ["old": "yes"], expires: Date(timeIntervalSinceNow: 3_600),
                tags: ["old"], pinned: true)
            let new = CacheEntry(body: Sample.bytes(400, of: 2))
            try await trial.store.set(old, for: "a")
            try await trial.roundTrip(new, at: "a")
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
                try await trial.roundTrip(Sample.entry(number + 10), at: "a")
            }
        },
        Self("A pinned entry can be removed.") { trial in
            try await trial.store.set(CacheEntry(body: Sample.bytes(100, of: 1), pinned: true), for: "a")
            try await trial.store.remove("a")
            try await trial.expect(nil, at: "a")
        },
    ]
}

/// `removeAll` removes all entries, and reports its progress at least once, at the end.
extension Rule {
    static let progress: [Self] = [
        Self("`removeAll` removes all entries, even pinned ones.") { trial in
            for number in 0..<10 {
                try await trial.store.set(Sample.entry(number, pinned: number.isMultiple(of: 2)), for: "key-\(number)")
            }
            try await trial.store.removeAll()
            for number in 0..<10 { try await trial.expect(nil, at: "key-\(number)") }
            try await trial.expectListed([])
            try await trial.roundTrip(Sample.entry(3), at: "key-3")
            try await trial.expectListed(["key-3"])
        },
        Self("`removeAll` reports progress that never decreases, and ends with all entries removed.") { trial in
            for number in 0..<10 { try await trial.store.set(Sample.entry(number), for: "key-\(number)") }
            let steps = try await steps(of: trial)
            try trial.expect("the last progress", CacheProgress(removed: 10, total: 10), got: steps.last)
            for (step, next) in zip(steps, steps.dropFirst()) where next.removed < step.removed {
                throw Mismatch(expected: "\(step.removed) removed or more", got: "\(next.removed) after that")
            }
            for step in steps where step.removed > step.total {
                throw Mismatch(expected: "at most \(step.total) removed", got: "\(step.removed)")
            }
        },
        Self("`removeAll` of an empty store reports progress.") { trial in
            let steps = try await steps(of: trial)
            try trial.expect("the last progress", CacheProgress(removed: 0, total: 0), got: steps.last)
        },
    ]

    /// Calls `removeAll`, and returns the progress that it reported before it returned.
    private static func steps(of trial: Trial) async throws -> [CacheProgress] {
        let steps = Steps()
        try await trial.store.removeAll { progress in
            steps.reported.withLock { $0.append(progress) }
        }
        return steps.reported.withLock { $0 }
    }

    private final class Steps: Sendable {
        let reported = Mutex<[CacheProgress]>([])
    }
}

import Synchronization
import TangoCache

/// `removeAll` removes all entries, and reports its progress at least once, at the end.
extension CacheStoreConformance.Rule {
    static let progress: [Self] = [
        Self("`removeAll` removes all entries, even pinned ones.") { trial in
            for number in 0..<10 {
                var entry = Sample.entry(number)
                entry.pinned = number.isMultiple(of: 2)
                try await trial.store.set(entry, for: "key-\(number)")
            }
            try await trial.store.removeAll()
            for number in 0..<10 { try await trial.expect(nil, at: "key-\(number)") }
            try await trial.expectListed([])
            try await trial.store.set(Sample.entry(3), for: "key-3")
            try await trial.expect(Sample.entry(3), at: "key-3")
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
    private static func steps(of trial: CacheStoreConformance.Trial) async throws -> [CacheProgress] {
        let steps = Steps()
        try await trial.store.removeAll { progress in
            steps.reported.withLock { $0.append(progress) }
        }
        return steps.reported.withLock { $0 }
    }

    private final class Steps: Sendable {
        let reported = Mutex<[CacheProgress]>([])
    }

    private typealias Sample = CacheStoreConformance.Sample
    private typealias Mismatch = CacheStoreConformance.Mismatch
}

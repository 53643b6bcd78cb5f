import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An expired entry is not returned, even before it is removed.
extension CacheStoreConformance.Rule {
    static let expiry: [Self] = [
        Self("`get` does not return an entry that has expired.") { trial in
            try await trial.store.set(expired(1), for: "a")
            try await trial.store.set(fresh(2), for: "b")
            try await trial.expect(nil, at: "a")
            try trial.expect("the body of the fresh entry", fresh(2).body, got: try await trial.store.get("b")?.body)
        },
        Self("`getMany` does not return an entry that has expired.") { trial in
            try await trial.store.setMany([(key: "a", entry: expired(1)), (key: "b", entry: Sample.entry(2))])
            let found = try await trial.store.getMany(["a", "b"])
            try trial.expect("the found entries", [false, true], got: found.map { $0 != nil })
        },
        Self("`reader` does not return an entry that has expired.") { trial in
            try await trial.store.set(expired(1), for: "a")
            try trial.expect("whether there is a reader", false, got: try await trial.store.reader(for: "a") != nil)
        },
        Self("An entry that expired in the distant past is not returned.") { trial in
            try await trial.store.set(CacheEntry(body: Sample.bytes(100, of: 1), expires: .distantPast), for: "a")
            try await trial.expect(nil, at: "a")
        },
        Self("An entry that has expired still replaces the old one.") { trial in
            try await trial.store.set(Sample.entry(1), for: "a")
            try await trial.store.set(expired(2), for: "a")
            try await trial.expect(nil, at: "a")
        },
        Self("An entry that has expired can be replaced.") { trial in
            try await trial.store.set(expired(1), for: "a")
            try await trial.expect(nil, at: "a")
            try await trial.store.set(Sample.entry(2), for: "a")
            try await trial.expect(Sample.entry(2), at: "a")
            try await trial.expectListed(["a"])
        },
    ]

    private static func expired(_ number: Int) -> CacheEntry {
        CacheEntry(body: Sample.bytes(100, of: number), expires: Date(timeIntervalSinceNow: -3_600))
    }

    private static func fresh(_ number: Int) -> CacheEntry {
        CacheEntry(body: Sample.bytes(100, of: number), expires: Date(timeIntervalSinceNow: 3_600))
    }

    private typealias Sample = CacheStoreConformance.Sample
}

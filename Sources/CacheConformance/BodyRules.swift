import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `get` returns the body that the last `set` stored.
extension CacheStoreConformance.Rule {
    static let bodies: [Self] =
        sizes.map { size in
            Self("A body of \(size) bytes comes back as it was.") { trial in
                let entry = CacheEntry(body: Sample.bytes(size, of: size))
                try await trial.store.set(entry, for: "a")
                try await trial.expect(entry, at: "a")
                try await trial.expect(entry, at: "a")
            }
        } + [
            Self("A body of zero bytes only comes back as it was.") { trial in
                for size in [1, 8, 4_096, 20_000] {
                    let entry = CacheEntry(body: Data(repeating: 0, count: size))
                    try await trial.store.set(entry, for: "a")
                    try await trial.expect(entry, at: "a")
                }
            },
            Self("A body may be a slice of other data, and what comes back begins at index 0.") { trial in
                for size in [10, 20_000, 70_000] {
                    let slice = Sample.bytes(size + 200, of: size)[100..<100 + size]
                    try await trial.store.set(CacheEntry(body: slice), for: "a")
                    try await trial.expect(CacheEntry(body: Data(slice)), at: "a")
                }
            },
            Self("A body that is changed after it was read or set changes nothing in the store.") { trial in
                var entry = Sample.entry(1)
                try await trial.store.set(entry, for: "a")
                entry.body[0] ^= 0xff
                try await trial.expect(Sample.entry(1), at: "a")
                if var read = try await trial.store.get("a") { read.body.append(contentsOf: [1, 2, 3]) }
                try await trial.expect(Sample.entry(1), at: "a")
            },
        ]

    private typealias Sample = CacheStoreConformance.Sample

    /// Around the sizes where stores change from one way of keeping bytes to another.
    static let sizes = [
        0, 1, 2, 7, 8, 9, 255, 256, 4_095, 4_096, 4_097, 16_383, 16_384, 16_385, 65_535, 65_536, 65_537, 1_000_000,
        3 << 20 | 1,
    ]
}

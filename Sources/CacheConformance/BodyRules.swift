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
            Self("A body of \(size) bytes is returned unchanged.") { trial in
                let entry = CacheEntry(body: Sample.bytes(size, of: size))
                try await trial.store.set(entry, for: "a")
                try await trial.expect(entry, at: "a")
                try await trial.expect(entry, at: "a")
            }
        } + [
            Self("A body of only zero bytes is returned unchanged.") { trial in
                for size in [1, 8, 4_096, 20_000] {
                    let entry = CacheEntry(body: Data(repeating: 0, count: size))
                    try await trial.store.set(entry, for: "a")
                    try await trial.expect(entry, at: "a")
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

    private typealias Sample = CacheStoreConformance.Sample

    /// Sizes near those at which stores change how they store bytes.
    static let sizes = [
        0, 1, 2, 7, 8, 9, 255, 256, 4_095, 4_096, 4_097, 16_383, 16_384, 16_385, 65_535, 65_536, 65_537, 1_000_000,
        3 << 20 | 1,
    ]
}

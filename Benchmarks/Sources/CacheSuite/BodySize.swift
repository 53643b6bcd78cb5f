import Harness

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A size of bodies, and the numbers of entries and operations of its rows.
struct BodySize: Sendable {
    let name: String
    let bytes: Int
    /// The number of entries to read.
    let entries: Int
    /// The number of operations of a row.
    let operations: Int
    /// True if rows with several entries at once make sense.
    let isSmall: Bool

    static let all = [
        BodySize(name: "200 B", bytes: 200, entries: 2_000, operations: 1_000, isSmall: true),
        BodySize(name: "2 KB", bytes: 2_048, entries: 2_000, operations: 1_000, isSmall: true),
        BodySize(name: "20 KB", bytes: 20_480, entries: 400, operations: 200, isSmall: true),
        BodySize(name: "200 KB", bytes: 204_800, entries: 60, operations: 40, isSmall: false),
        BodySize(name: "2 MB", bytes: 2_097_152, entries: 12, operations: 8, isSmall: false),
    ]

    /// Returns bodies that differ from each other in every page.
    func bodies(_ count: Int = 16) -> [Data] {
        (0..<count).map { number in
            var random = Random(seed: UInt64(number))
            var body = Data(capacity: bytes + 8)
            while body.count < bytes { withUnsafeBytes(of: random.next()) { body.append(contentsOf: $0) } }
            return body.prefix(bytes)
        }
    }
}

/// Returns the key of an entry, as long as a typical URL.
func name(_ number: Int) -> String {
    "https://example.com/api/v1/pictures/thumbnail-\(1_000_000 + number)"
}

/// Numbers that are the same in every run: splitmix64.
struct Random: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
        return word ^ (word >> 31)
    }
}

import Foundation
import TangoCache

/// Entries derived from a key and a version, so that a reader can verify them and identify their version.
enum Payload {
    private static let sizes = [
        0, 1, 100, 200, 700, 2_000, 2_000, 4_096, 9_000, 16_383, 16_384, 16_385, 20_000, 65_535, 65_537, 300_000,
    ]

    static func entry(_ key: String, _ version: Int, tag: String? = nil) -> CacheEntry {
        CacheEntry(body: body(key, version), metadata: ["version": "\(version)"], tags: tag.map { [$0] } ?? [])
    }

    /// Returns the version of an entry, or nil if it does not belong to the key.
    static func version(of entry: CacheEntry, for key: String) -> Int? {
        guard let version = entry.metadata["version"].flatMap(Int.init), entry.body == body(key, version) else {
            return nil
        }
        return version
    }

    private static func body(_ key: String, _ version: Int) -> Data {
        var random = Pseudorandom(seed: key.utf8.reduce(UInt64(version)) { $0 &* 31 &+ UInt64($1) })
        let size = sizes[Int(random.next() % UInt64(sizes.count))]
        return bytes(size, &random)
    }

    /// Returns bytes that repeat a block of prime length, so that a misplaced part is detected.
    static func bytes(_ count: Int, _ random: inout Pseudorandom) -> Data {
        var block = Data()
        while block.count < min(count, 1_021) {
            withUnsafeBytes(of: random.next()) { block.append(contentsOf: $0) }
        }
        block = block.prefix(1_021)
        var bytes = Data(capacity: count + block.count)
        while bytes.count < count { bytes.append(block) }
        return Data(bytes.prefix(count))
    }
}

/// A generator with the same numbers in every run.
struct Pseudorandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
        return word ^ word >> 31
    }
}

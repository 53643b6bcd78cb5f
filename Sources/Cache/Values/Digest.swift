/// The 64-bit hash of this module. For keys, it selects a slot or a row. For bodies, it verifies their content.
///
/// It is part of the format on disk, so its results never change. Eight independent lanes each fold two words into one
/// by a full multiplication, so that the processor works on all of them at once. A body is hashed faster than it is
/// copied. The hash detects accidents, not forgeries.
struct Digest {
    private static let words: (UInt64, UInt64, UInt64, UInt64, UInt64) = (
        0x9e37_79b9_7f4a_7c15, 0xc2b2_ae3d_27d4_eb4f, 0xa076_1d64_78bd_642f, 0xe703_7ed1_a0b4_28db,
        0x8ebc_6af0_9c88_c6e3
    )

    private(set) var value: UInt64

    init(seed: UInt64 = 0) {
        value = seed ^ Self.words.4
    }

    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var digest = Digest()
        digest.combine(bytes)
        return digest.value
    }

    /// Adds bytes. The same bytes in other portions give another value.
    mutating func combine(_ bytes: UnsafeRawBufferPointer) {
        let words = Self.words
        var count = bytes.count
        guard count > 0, var next = bytes.baseAddress else { return combine(0) }
        var lane = value
        // At least one byte is left for the end.
        if count > 128 {
            var lanes = (
                lane ^ words.0, lane ^ words.1, lane ^ words.2, lane ^ words.3,
                lane &+ words.0, lane &+ words.1, lane &+ words.2, lane &+ words.3
            )
            repeat {
                lanes.0 = Self.fold(next.word(at: 0) ^ words.0, next.word(at: 8) ^ lanes.0)
                lanes.1 = Self.fold(next.word(at: 16) ^ words.1, next.word(at: 24) ^ lanes.1)
                lanes.2 = Self.fold(next.word(at: 32) ^ words.2, next.word(at: 40) ^ lanes.2)
                lanes.3 = Self.fold(next.word(at: 48) ^ words.3, next.word(at: 56) ^ lanes.3)
                lanes.4 = Self.fold(next.word(at: 64) ^ words.1, next.word(at: 72) ^ lanes.4)
                lanes.5 = Self.fold(next.word(at: 80) ^ words.2, next.word(at: 88) ^ lanes.5)
                lanes.6 = Self.fold(next.word(at: 96) ^ words.3, next.word(at: 104) ^ lanes.6)
                lanes.7 = Self.fold(next.word(at: 112) ^ words.0, next.word(at: 120) ^ lanes.7)
                next += 128
                count -= 128
            } while count > 128
            let first = Self.fold(lanes.0 ^ words.3, lanes.1) ^ Self.fold(lanes.2 ^ words.0, lanes.3)
            let second = Self.fold(lanes.4 ^ words.1, lanes.5) ^ Self.fold(lanes.6 ^ words.2, lanes.7)
            lane = Self.fold(first ^ words.0, second ^ words.1)
        }
        while count > 16 {
            lane = Self.fold(next.word(at: 0) ^ words.1, next.word(at: 8) ^ lane)
            next += 16
            count -= 16
        }
        let (low, high) = next.tail(count)
        lane = Self.fold(low ^ words.2, high ^ lane)
        value = Self.fold(lane ^ words.3, UInt64(truncatingIfNeeded: bytes.count) ^ words.4)
    }

    mutating func combine(_ number: UInt64) {
        value = Self.fold(number ^ Self.words.2, value ^ Self.words.3)
    }

    /// Folds two words into one, each bit of which depends on every bit of both.
    @inline(__always)
    private static func fold(_ one: UInt64, _ other: UInt64) -> UInt64 {
        let product = one.multipliedFullWidth(by: other)
        return product.high ^ product.low
    }
}

extension UnsafeRawPointer {
    @inline(__always)
    fileprivate func word(at offset: Int) -> UInt64 {
        UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    @inline(__always)
    private func half(at offset: Int) -> UInt64 {
        UInt64(UInt32(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
    }

    /// Returns the last 1 to 16 bytes as two words, which overlap if there are fewer than 16.
    @inline(__always)
    fileprivate func tail(_ count: Int) -> (UInt64, UInt64) {
        switch count {
        case 8...: (word(at: 0), word(at: count - 8))
        case 4...: (half(at: 0), half(at: count - 4))
        default:
            (
                UInt64(load(as: UInt8.self)) | UInt64(load(fromByteOffset: count / 2, as: UInt8.self)) << 8,
                UInt64(load(fromByteOffset: count - 1, as: UInt8.self))
            )
        }
    }
}

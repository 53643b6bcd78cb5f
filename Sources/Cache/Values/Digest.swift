/// The 64-bit hash of this module: of keys, where it picks a slot or a row, and of bodies, where it proves them whole.
///
/// It is part of the format on disk, so what it returns never changes. Four independent lanes each fold two words into
/// one by a full multiplication, so that the processor works on all of them at once: a body is hashed faster than it
/// is copied. It finds accidents, not forgeries.
struct Digest {
    private static let words: (UInt64, UInt64, UInt64, UInt64, UInt64) = (
        0x9e37_79b9_7f4a_7c15, 0xc2b2_ae3d_27d4_eb4f, 0xa076_1d64_78bd_642f, 0xe703_7ed1_a0b4_28db,
        0x8ebc_6af0_9c88_c6e3
    )

    /// What has been hashed so far.
    private(set) var value: UInt64

    init(seed: UInt64 = 0) {
        value = seed ^ Self.words.4
    }

    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var digest = Digest()
        digest.combine(bytes)
        return digest.value
    }

    /// Adds bytes. Where they end counts: the same bytes in other portions give another value.
    mutating func combine(_ bytes: UnsafeRawBufferPointer) {
        let words = Self.words
        var count = bytes.count
        // No bytes may come with an address or without one.
        guard var next = bytes.baseAddress, count > 0 else { return combine(0) }
        var lane = value
        if count >= 64 {
            var lane1 = lane ^ words.0
            var lane2 = lane ^ words.1
            var lane3 = lane ^ words.2
            repeat {
                lane = Self.fold(next.word(at: 0) ^ words.0, next.word(at: 8) ^ lane)
                lane1 = Self.fold(next.word(at: 16) ^ words.1, next.word(at: 24) ^ lane1)
                lane2 = Self.fold(next.word(at: 32) ^ words.2, next.word(at: 40) ^ lane2)
                lane3 = Self.fold(next.word(at: 48) ^ words.3, next.word(at: 56) ^ lane3)
                next += 64
                count -= 64
            } while count >= 64
            lane = Self.fold(lane ^ lane1 &+ words.0, lane2 ^ (lane3 &+ words.1))
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

    /// Adds a number.
    mutating func combine(_ number: UInt64) {
        value = Self.fold(number ^ Self.words.2, value ^ Self.words.3)
    }

    /// Two words as one, each bit of which depends on every bit of both.
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

    /// The last bytes, at most 16, as two words that overlap where there are fewer.
    @inline(__always)
    fileprivate func tail(_ count: Int) -> (UInt64, UInt64) {
        switch count {
        case 8...: (word(at: 0), word(at: count - 8))
        case 4...: (half(at: 0), half(at: count - 4))
        case 1...:
            (
                UInt64(load(as: UInt8.self)) | UInt64(load(fromByteOffset: count / 2, as: UInt8.self)) << 8,
                UInt64(load(fromByteOffset: count - 1, as: UInt8.self))
            )
        default: (0, 0)
        }
    }
}

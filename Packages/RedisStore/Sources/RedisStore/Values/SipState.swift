/// The state of SipHash, with one round for each word and three at the end.
struct SipState {
    private var v0: UInt64
    private var v1: UInt64
    private var v2: UInt64
    private var v3: UInt64

    init(_ key0: UInt64, _ key1: UInt64) {
        v0 = key0 ^ 0x736f_6d65_7073_6575
        v1 = key1 ^ 0x646f_7261_6e64_6f6d
        v2 = key0 ^ 0x6c79_6765_6e65_7261
        v3 = key1 ^ 0x7465_6462_7974_6573
    }

    @inline(__always)
    mutating func add(_ word: UInt64) {
        v3 ^= word
        round()
        v0 ^= word
    }

    /// The hash of all words so far.
    var value: UInt64 {
        var end = self
        end.v2 ^= 0xff
        end.round()
        end.round()
        end.round()
        return end.v0 ^ end.v1 ^ end.v2 ^ end.v3
    }

    @inline(__always)
    private mutating func round() {
        v0 = v0 &+ v1
        v1 = (v1 << 13 | v1 >> 51) ^ v0
        v0 = v0 << 32 | v0 >> 32
        v2 = v2 &+ v3
        v3 = (v3 << 16 | v3 >> 48) ^ v2
        v0 = v0 &+ v3
        v3 = (v3 << 21 | v3 >> 43) ^ v0
        v2 = v2 &+ v1
        v1 = (v1 << 17 | v1 >> 47) ^ v2
        v2 = v2 << 32 | v2 >> 32
    }

    /// Adds bytes and their number.
    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        var offset = 0
        while bytes.count - offset >= 8 {
            add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
            offset += 8
        }
        var last = UInt64(truncatingIfNeeded: bytes.count) << 56
        for (shift, byte) in bytes[offset...].enumerated() { last |= UInt64(byte) << UInt64(shift * 8) }
        add(last)
    }

    static func hash(_ bytes: UnsafeRawBufferPointer, _ key0: UInt64 = 0, _ key1: UInt64 = 0) -> UInt64 {
        var state = SipState(key0, key1)
        state.add(bytes)
        return state.value
    }
}

/// The checksum of a body without chunks. It finds damage, and is several times faster than SipHash.
///
/// Four sums take turns, so that the processor computes them at the same time. Each step is reversible: two bodies that
/// differ in one word have different sums.
enum BodyChecksum {
    private static let factor: UInt64 = 0x9e37_79b9_7f4a_7c15

    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var sums = (UInt64(1), UInt64(2), UInt64(3), UInt64(4))
        var offset = 0
        while bytes.count - offset >= 32 {
            sums.0 = step(sums.0, bytes, offset)
            sums.1 = step(sums.1, bytes, offset + 8)
            sums.2 = step(sums.2, bytes, offset + 16)
            sums.3 = step(sums.3, bytes, offset + 24)
            offset += 32
        }
        var end = SipState(sums.0, sums.1)
        end.add(sums.2)
        end.add(sums.3)
        end.add(UInt64(bytes.count))
        end.add(UnsafeRawBufferPointer(rebasing: bytes[offset...]))
        return end.value
    }

    @inline(__always)
    private static func step(_ sum: UInt64, _ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        let mixed = (sum ^ word) &* factor
        return mixed ^ mixed >> 32
    }
}

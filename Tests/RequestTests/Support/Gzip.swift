import Foundation

/// A gzip encoder that knows two things: bytes as they are, and many zeroes in few bytes.
enum Gzip {
    /// Bytes in blocks that are not compressed.
    static func stored(_ bytes: Data) -> Data {
        var deflated = Data()
        var rest = bytes[...]
        repeat {
            let block = rest.prefix(60_000)
            rest = rest.dropFirst(block.count)
            deflated.append(rest.isEmpty ? 1 : 0)
            let length = UInt16(block.count)
            for part in [length, ~length] { deflated += [UInt8(part & 255), UInt8(part >> 8)] }
            deflated += block
        } while !rest.isEmpty
        return wrapped(deflated, bytes.count) { update in for byte in bytes { update(byte) } }
    }

    /// One zero, and 258 more as often as is said, at a ratio of nearly 160.
    static func zeroes(repeats: Int) -> Data {
        var bits = Bits()
        bits.append(0b1, 1)  // the last block
        bits.append(0b01, 2)  // of fixed codes
        bits.appendCode(0b0011_0000, 8)  // a zero
        for _ in 0..<repeats {
            bits.appendCode(0b1100_0101, 8)  // 258 times
            bits.appendCode(0, 5)  // what is one byte before
        }
        bits.appendCode(0, 7)  // the end
        let count = 1 + 258 * repeats
        return wrapped(bits.bytes, count) { update in for _ in 0..<count { update(0) } }
    }

    private static func wrapped(_ deflated: Data, _ count: Int, each: ((UInt8) -> Void) -> Void) -> Data {
        var sum: UInt32 = 0xffff_ffff
        each { sum = table[Int((sum ^ UInt32($0)) & 255)] ^ (sum >> 8) }
        var bytes = Data([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]) + deflated
        for number in [~sum, UInt32(truncatingIfNeeded: count)] {
            for shift in [0, 8, 16, 24] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
        }
        return bytes
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { sum, _ in sum & 1 == 1 ? 0xedb8_8320 ^ (sum >> 1) : sum >> 1 }
    }

    private struct Bits {
        var bytes = Data()
        private var used = 8

        /// A number, the lowest bit first.
        mutating func append(_ value: Int, _ count: Int) {
            for place in 0..<count {
                if used == 8 {
                    bytes.append(0)
                    used = 0
                }
                bytes[bytes.count - 1] |= UInt8((value >> place) & 1) << UInt8(used)
                used += 1
            }
        }

        /// A code, the highest bit first.
        mutating func appendCode(_ value: Int, _ count: Int) {
            for place in (0..<count).reversed() { append((value >> place) & 1, 1) }
        }
    }
}

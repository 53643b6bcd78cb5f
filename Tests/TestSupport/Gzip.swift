import Foundation

/// A gzip encoder with three outputs: uncompressed blocks, well compressed zeroes and extremely compressed zeroes.
enum Gzip {
    /// Encodes bytes in blocks that are not compressed.
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

    /// Encodes one zero and `repeats` times 258 more, at a ratio of nearly 160.
    static func zeroes(repeats: Int) -> Data {
        var bits = Bits()
        bits.append(0b1, 1)  // the last block
        bits.append(0b01, 2)  // of fixed codes
        bits.appendCode(0b0011_0000, 8)  // a zero
        for _ in 0..<repeats {
            bits.appendCode(0b1100_0101, 8)  // 258 times
            bits.appendCode(0, 5)  // the previous byte
        }
        bits.appendCode(0, 7)  // the end
        let count = 1 + 258 * repeats
        return wrapped(bits.bytes, count) { update in for _ in 0..<count { update(0) } }
    }

    /// Encodes two zeroes and `repeats` times 258 more, at a ratio of about 1000: two bits stand for each 258.
    ///
    /// - Parameter isWhole: If true, the checksum at the end is correct. Computing it is slow.
    static func bomb(repeats: Int, isWhole: Bool) -> Data {
        var bits = Bits()
        bits.append(0b1, 1)  // the last block
        bits.append(0b10, 2)  // of dynamic codes
        bits.append(29, 5)  // for 286 bytes and lengths
        bits.append(0, 5)  // and one distance
        bits.append(14, 4)  // 18 code lengths follow, in the order of the format
        let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1]
        for symbol in order { bits.append([18: 1, 1: 2, 2: 2][symbol] ?? 0, 3) }
        func appendNone(_ count: Int) {
            bits.appendCode(0b0, 1)
            bits.append(count - 11, 7)
        }
        func appendLength(_ length: Int) { bits.appendCode(length == 1 ? 0b10 : 0b11, 2) }
        appendLength(2)  // a zero
        appendNone(138)
        appendNone(117)
        appendLength(2)  // the end
        appendNone(28)
        appendLength(1)  // 258 times
        appendLength(1)  // the previous byte
        for _ in 0..<2 { bits.appendCode(0b10, 2) }
        for _ in 0..<repeats { bits.appendCode(0b00, 2) }
        bits.appendCode(0b11, 2)
        let count = 2 + 258 * repeats
        guard isWhole else { return wrapped(bits.bytes, count) { _ in } }
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

        /// Appends a number, the lowest bit first.
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

        /// Appends a code, the highest bit first.
        mutating func appendCode(_ value: Int, _ count: Int) {
            for place in (0..<count).reversed() { append((value >> place) & 1, 1) }
        }
    }
}

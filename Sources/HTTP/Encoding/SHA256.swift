/// SHA-256 (FIPS 180-4), for pinned keys, and for names that must neither be guessed nor reveal their input.
package struct SHA256 {
    private var state: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]
    private var words = [UInt32](repeating: 0, count: 64)

    /// Returns the digest of some bytes as 64 hexadecimal digits.
    package static func hex(_ bytes: some Sequence<UInt8>) -> String {
        text(of: digest(bytes))
    }

    private static func text(of digest: [UInt8]) -> String {
        var text = ""
        text.reserveCapacity(64)
        for byte in digest {
            text.unicodeScalars.append(Unicode.Scalar(hexadecimal(byte >> 4)))
            text.unicodeScalars.append(Unicode.Scalar(hexadecimal(byte & 15)))
        }
        return text
    }

    private static func hexadecimal(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    /// Returns the digest of some bytes, which has 32 bytes.
    package static func digest(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var message = Array(bytes)
        let count = UInt64(message.count) * 8
        message.append(0x80)
        message.append(contentsOf: repeatElement(0, count: (120 - message.count % 64) % 64))
        message.append(contentsOf: (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) })
        var hash = SHA256()
        message.withUnsafeBytes { message in
            for start in stride(from: 0, to: message.count, by: 64) {
                hash.take(UnsafeRawBufferPointer(rebasing: message[start..<start + 64]))
            }
        }
        return hash.bytes
    }

    /// A digest of bytes that arrive in portions.
    package struct Running {
        private var hash = SHA256()
        private var rest: [UInt8] = []
        private var count = 0

        package init(hash: SHA256 = SHA256(), rest: [UInt8] = [], count: Int = 0) {
            self.hash = hash
            self.rest = rest
            self.count = count
        }

        package mutating func add(_ bytes: UnsafeRawBufferPointer) {
            count += bytes.count
            var bytes = bytes
            if !rest.isEmpty {
                let missing = min(64 - rest.count, bytes.count)
                rest.append(contentsOf: bytes[..<missing])
                bytes = UnsafeRawBufferPointer(rebasing: bytes[missing...])
                guard rest.count == 64 else { return }
                rest.withUnsafeBytes { hash.take($0) }
                rest.removeAll(keepingCapacity: true)
            }
            let whole = bytes.count / 64 * 64
            for start in stride(from: 0, to: whole, by: 64) {
                hash.take(UnsafeRawBufferPointer(rebasing: bytes[start..<start + 64]))
            }
            rest.append(contentsOf: bytes[whole...])
        }

        /// The digest of all bytes so far as 64 hexadecimal digits.
        package var hexadecimal: String {
            var end = self
            let bits = UInt64(count) * 8
            var padding: [UInt8] = [0x80]
            padding.append(contentsOf: repeatElement(0, count: (119 - count % 64) % 64))
            padding.append(contentsOf: (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * $0)) })
            padding.withUnsafeBytes { end.add($0) }
            return SHA256.text(of: end.hash.bytes)
        }
    }

    private var bytes: [UInt8] {
        state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) } }
    }

    /// Adds one block of 64 bytes.
    private mutating func take(_ block: UnsafeRawBufferPointer) {
        for index in 0..<16 {
            words[index] = UInt32(bigEndian: block.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
        }
        for index in 16..<64 {
            let early = words[index - 15]
            let late = words[index - 2]
            let first = early.turned(7) ^ early.turned(18) ^ early >> 3
            let second = late.turned(17) ^ late.turned(19) ^ late >> 10
            words[index] = words[index - 16] &+ first &+ words[index - 7] &+ second
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for index in 0..<64 {
            let one = h &+ (e.turned(6) ^ e.turned(11) ^ e.turned(25)) &+ (e & f ^ ~e & g)
            let sum = one &+ Self.constants[index] &+ words[index]
            let other = (a.turned(2) ^ a.turned(13) ^ a.turned(22)) &+ (a & b ^ a & c ^ b & c)
            (h, g, f, e) = (g, f, e, d &+ sum)
            (d, c, b, a) = (c, b, a, sum &+ other)
        }
        for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
    }

    /// The fractions of the cube roots of the first 64 primes.
    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]
}

extension UInt32 {
    /// Returns the value, rotated to the right by this number of bits.
    fileprivate func turned(_ count: UInt32) -> UInt32 {
        self >> count | self << (32 - count)
    }
}

/// Enciphers names so that two names share as long a prefix as their ciphers do.
///
/// Each byte is permuted. The permutation depends on the secret and on all bytes before it. So the server can find names
/// by their prefix, and learns only which names share one.
struct NameCipher: Sendable {
    private let key0: UInt64
    private let key1: UInt64

    init(secret: String) {
        let bytes = Array(secret.utf8)
        key0 = bytes.withUnsafeBytes { SipState.hash($0, 1, 2) }
        key1 = bytes.withUnsafeBytes { SipState.hash($0, 3, 4) }
    }

    func encipher(_ name: [UInt8]) -> [UInt8] {
        var state = SipState(key0, key1)
        return name.map { byte in
            defer { state.add(UInt64(byte)) }
            return Self.permute(byte, Self.words(state.value))
        }
    }

    func decipher(_ name: [UInt8]) -> [UInt8] {
        var state = SipState(key0, key1)
        return name.map { byte in
            let plain = Self.restore(byte, Self.words(state.value))
            state.add(UInt64(plain))
            return plain
        }
    }

    private typealias Words = (UInt64, UInt64, UInt64, UInt64)

    /// Expands a hash into the tables of four rounds. Each has 16 numbers of four bits.
    private static func words(_ hash: UInt64) -> Words {
        func mixed(_ step: UInt64) -> UInt64 {
            var word = hash &+ step &* 0x9e37_79b9_7f4a_7c15
            word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
            word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
            return word ^ word >> 31
        }
        return (mixed(1), mixed(2), mixed(3), mixed(4))
    }

    private static func entry(_ word: UInt64, _ index: UInt8) -> UInt8 {
        UInt8(truncatingIfNeeded: word >> UInt64(index * 4)) & 15
    }

    /// A Feistel network over the two halves of a byte.
    private static func permute(_ byte: UInt8, _ words: Words) -> UInt8 {
        var left = byte >> 4
        var right = byte & 15
        left ^= entry(words.0, right)
        right ^= entry(words.1, left)
        left ^= entry(words.2, right)
        right ^= entry(words.3, left)
        return left << 4 | right
    }

    private static func restore(_ byte: UInt8, _ words: Words) -> UInt8 {
        var left = byte >> 4
        var right = byte & 15
        right ^= entry(words.3, left)
        left ^= entry(words.2, right)
        right ^= entry(words.1, left)
        left ^= entry(words.0, right)
        return left << 4 | right
    }
}

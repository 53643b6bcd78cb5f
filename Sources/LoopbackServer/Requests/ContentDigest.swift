/// A digest that distinguishes bodies that are too large to record.
///
/// It is fast, and meant for tests. It does not resist deliberate collisions. It does not depend on the portions in
/// which the bytes arrived.
public struct ContentDigest: Sendable, Hashable, CustomStringConvertible {
    private var state: UInt64 = 0xcbf2_9ce4_8422_2325
    /// The bytes that do not fill a word yet, and their number.
    private var rest: UInt64 = 0
    private var restCount: UInt64 = 0
    private var count: UInt64 = 0

    /// Creates the digest of no bytes.
    public init() {}

    /// Creates the digest of some bytes.
    public init(_ bytes: some Sequence<UInt8>) {
        let taken: Void? = bytes.withContiguousStorageIfAvailable { add(UnsafeRawBufferPointer($0)) }
        if taken == nil { Array(bytes).withUnsafeBytes { add($0) } }
    }

    /// Adds the next bytes.
    public mutating func add(_ bytes: UnsafeRawBufferPointer) {
        count &+= UInt64(bytes.count)
        var position = 0
        while restCount > 0, position < bytes.count {
            rest |= UInt64(bytes[position]) << (restCount * 8)
            restCount += 1
            position += 1
            if restCount == 8 {
                mix(rest)
                (rest, restCount) = (0, 0)
            }
        }
        while bytes.count - position >= 8 {
            mix(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)))
            position += 8
        }
        while position < bytes.count {
            rest |= UInt64(bytes[position]) << (restCount * 8)
            restCount += 1
            position += 1
        }
    }

    private mutating func mix(_ word: UInt64) {
        state = (state ^ word) &* 0x9e37_79b9_7f4a_7c15
        state ^= state >> 29
    }

    /// The digest as a number.
    public var value: UInt64 {
        var copy = self
        copy.mix(rest)
        copy.mix(count)
        return copy.state
    }

    public static func == (one: ContentDigest, other: ContentDigest) -> Bool { one.value == other.value }
    public func hash(into hasher: inout Hasher) { hasher.combine(value) }

    public var description: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

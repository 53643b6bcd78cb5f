/// The name of an entry in a store: text, or any bytes.
///
/// ```swift
/// let page: CacheKey = "https://example.com/users/1"
/// let thumbnail = CacheKey("thumbnail-\(id)")
/// let digest = CacheKey(bytes: [0x00, 0xff, 0x10])
/// ```
///
/// Keys are compared by their bytes. The text `"a"` and the byte `0x61` are the same key; the composed and the
/// decomposed form of `"é"` are different keys. A key computes its hash once, when it is created, so using it again is
/// faster than creating it from the same text.
public struct CacheKey: Sendable {
    private enum Content: Sendable {
        case text(String)
        case bytes([UInt8])
    }

    private let content: Content

    /// The 64-bit hash of the bytes, the same in every process.
    package let digest: UInt64

    /// Creates the key with the UTF-8 bytes of a text.
    public init(_ text: String) {
        var text = text
        digest = text.withUTF8 { Digest.of(UnsafeRawBufferPointer($0)) }
        content = .text(text)
    }

    /// Creates the key with these bytes. They need not be text and may include zeros.
    public init(bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        digest = bytes.withUnsafeBytes { Digest.of($0) }
        content = .bytes(bytes)
    }

    /// The bytes of the key.
    public var bytes: [UInt8] {
        switch content {
        case .text(let text): Array(text.utf8)
        case .bytes(let bytes): bytes
        }
    }

    /// The number of bytes of the key.
    public var count: Int {
        switch content {
        case .text(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        }
    }

    /// The key as text, or nil if its bytes are not UTF-8.
    public var text: String? {
        switch content {
        case .text(let text): text
        case .bytes(let bytes): String(validating: bytes, as: UTF8.self)
        }
    }

    /// Returns whether the key begins with the bytes of another.
    public func hasPrefix(_ prefix: CacheKey) -> Bool {
        prefix.withBytes { prefix in
            withBytes { bytes in bytes.starts(with: prefix) }
        }
    }

    /// Calls a closure with the bytes of the key. Keys of up to 15 bytes are copied for it.
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        switch content {
        case .text(let text):
            try text.utf8.withContiguousStorageIfAvailable { try body(UnsafeRawBufferPointer($0)) }
                ?? text.utf8.map(\.self).withUnsafeBytes(body)
        case .bytes(let bytes): try bytes.withUnsafeBytes(body)
        }
    }
}

extension CacheKey: Hashable {
    public static func == (one: CacheKey, other: CacheKey) -> Bool {
        guard one.digest == other.digest else { return false }
        return one.withBytes { one in other.withBytes { other in one.equals(other) } }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(digest)
    }
}

extension CacheKey: ExpressibleByStringInterpolation {
    public init(stringLiteral text: String) {
        self.init(text)
    }
}

extension CacheKey: CustomStringConvertible {
    /// The key as text, or its bytes in hexadecimal if they are not printable text. A key may come from a server, and
    /// descriptions appear in logs and terminals.
    public var description: String {
        if let text, text.isPrintable { return text }
        return bytes.reduce(into: "0x") { text, byte in
            text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
    }
}

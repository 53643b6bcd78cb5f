/// A hash function.
///
/// CryptoKit computes it on Apple platforms, and the libcrypto that libcurl brings on Linux. ``sha256`` and
/// ``sha512_256`` need no library: without one, code of this module computes them.
package enum Hash: String, Hashable, Sendable, CaseIterable {
    case md5 = "MD5"
    case sha1 = "SHA-1"
    case sha256 = "SHA-256"
    case sha512 = "SHA-512"
    case sha512_256 = "SHA-512-256"

    /// The number of bytes that the function processes at once.
    package var blockSize: Int {
        switch self {
        case .md5, .sha1, .sha256: 64
        case .sha512, .sha512_256: 128
        }
    }

    /// Returns the digest of some bytes.
    package func digest(_ bytes: some Sequence<UInt8>) throws(MissingHash) -> [UInt8] {
        var hashing = try Hashing(self)
        hashing.update(bytes)
        return try hashing.finish()
    }

    /// Returns the digest of some bytes as hexadecimal digits in lower case.
    package func hex(_ bytes: some Sequence<UInt8>) throws(MissingHash) -> String {
        try digest(bytes).hexadecimal
    }
}

/// A hash function that this system does not have. The text says what is wrong and what to do.
package struct MissingHash: Error {
    package let text: String
}

/// The computation of a digest, in portions.
protocol RunningHash {
    mutating func update(_ bytes: UnsafeRawBufferPointer)
    /// Returns the digest. The computation ends with it.
    mutating func finish() throws(MissingHash) -> [UInt8]
}

/// The computation of a digest in portions, by the library of the system or by code of this module.
package struct Hashing {
    private var running: any RunningHash

    package init(_ hash: Hash) throws(MissingHash) {
        do {
            running = try SystemHash(hash)
        } catch {
            switch hash {
            case .sha256: running = SHA256()
            case .sha512_256: running = SHA512_256()
            default: throw error
            }
        }
    }

    package mutating func update(_ bytes: some Sequence<UInt8>) {
        if bytes.withContiguousStorageIfAvailable({ running.update(UnsafeRawBufferPointer($0)) }) != nil { return }
        Array(bytes).withUnsafeBytes { running.update($0) }
    }

    /// Returns the digest. The computation ends with it.
    package mutating func finish() throws(MissingHash) -> [UInt8] { try running.finish() }
}

/// A keyed digest: HMAC (RFC 2104).
package enum HMAC {
    /// Returns the code that shows that a message comes from an owner of the key.
    package static func code(
        _ message: some Sequence<UInt8>, key: some Sequence<UInt8>, _ hash: Hash = .sha256
    ) throws(MissingHash) -> [UInt8] {
        var key = Array(key)
        if key.count > hash.blockSize { key = try hash.digest(key) }
        key.append(contentsOf: repeatElement(0, count: hash.blockSize - key.count))
        var inner = try Hashing(hash)
        inner.update(key.map { $0 ^ 0x36 })
        inner.update(message)
        var outer = try Hashing(hash)
        outer.update(key.map { $0 ^ 0x5c })
        outer.update(try inner.finish())
        return try outer.finish()
    }
}

extension Collection<UInt8> {
    /// Two hexadecimal digits in lower case for each byte.
    package var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

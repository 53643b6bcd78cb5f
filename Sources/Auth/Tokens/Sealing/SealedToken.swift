/// The form of an encrypted file: a name, eight bytes that identify the key, a random nonce, the encrypted bytes and their
/// tag.
enum SealedToken {
    static let tagSize = 16
    static let keySize = 32
    private static let nonceSize = 12
    private static let name = Array("TANGOTK1".utf8)

    /// The outcome of a decryption.
    enum Opened: Hashable {
        case bytes(Data)
        case wrongKey
        case damaged
    }

    /// Encrypts bytes with a new nonce.
    static func seal(_ bytes: Data, key: [UInt8]) throws -> Data {
        try check(key)
        let nonce = [UInt8].random(nonceSize)
        let header = name + mark(of: key) + nonce
        return Data(header + (try AESGCM.seal(Array(bytes), key: key, nonce: nonce, authenticating: header)))
    }

    /// Decrypts the bytes of a file.
    static func open(_ file: Data, key: [UInt8]) throws -> Opened {
        try check(key)
        let file = Array(file)
        let headerSize = name.count + 8 + nonceSize
        guard file.count >= headerSize + tagSize, file.starts(with: name) else { return .damaged }
        guard file[name.count..<name.count + 8].elementsEqual(mark(of: key)) else { return .wrongKey }
        let header = Array(file[..<headerSize])
        let nonce = Array(header.suffix(nonceSize))
        let bytes = try AESGCM.open(Array(file[headerSize...]), key: key, nonce: nonce, authenticating: header)
        return bytes.map { .bytes(Data($0)) } ?? .damaged
    }

    private static func check(_ key: [UInt8]) throws {
        guard key.count != keySize else { return }
        throw TokenStoreError(
            .badKey, "the key of the token store has \(key.count) bytes: create a random one of 32 bytes")
    }

    /// Eight bytes by which another key is recognised. They say nothing of a random key.
    private static func mark(of key: [UInt8]) -> [UInt8] {
        Array(SHA256.digest(Array("key of an encrypted token".utf8) + key).prefix(8))
    }
}

#if canImport(CryptoKit)
    import CryptoKit

    /// AES-256-GCM of CryptoKit, with nonces of 12 bytes and tags of 16 bytes.
    enum AESGCM {
        /// Encrypts bytes. Returns them followed by their tag.
        static func seal(
            _ bytes: [UInt8], key: [UInt8], nonce: [UInt8], authenticating header: [UInt8]
        ) throws -> [UInt8] {
            let box = try AES.GCM.seal(
                Data(bytes), using: SymmetricKey(data: Data(key)), nonce: try AES.GCM.Nonce(data: Data(nonce)),
                authenticating: Data(header))
            return Array(box.ciphertext) + Array(box.tag)
        }

        /// Decrypts bytes that are followed by their tag. Returns nil if they, the header or the key are not those of the
        /// encryption.
        static func open(
            _ bytes: [UInt8], key: [UInt8], nonce: [UInt8], authenticating header: [UInt8]
        ) throws -> [UInt8]? {
            guard bytes.count >= SealedToken.tagSize else { return nil }
            let box = try AES.GCM.SealedBox(
                nonce: try AES.GCM.Nonce(data: Data(nonce)), ciphertext: Data(bytes.dropLast(SealedToken.tagSize)),
                tag: Data(bytes.suffix(SealedToken.tagSize)))
            let key = SymmetricKey(data: Data(key))
            return (try? AES.GCM.open(box, using: key, authenticating: Data(header))).map { Array($0) }
        }
    }
#endif

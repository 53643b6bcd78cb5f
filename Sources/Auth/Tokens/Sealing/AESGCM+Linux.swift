#if os(Linux)
    import TangoCCrypto

    /// AES-256-GCM (NIST SP 800-38D) of libcrypto, with nonces of 12 bytes and tags of 16 bytes.
    enum AESGCM {
        /// Encrypts bytes. Returns them followed by their tag.
        static func seal(
            _ bytes: [UInt8], key: [UInt8], nonce: [UInt8], authenticating header: [UInt8]
        ) throws -> [UInt8] {
            try run(bytes, key, nonce, header, encrypts: true) { context, output in
                var tag = [UInt8](repeating: 0, count: SealedToken.tagSize)
                guard EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_GET_TAG, CInt(tag.count), &tag) == 1 else {
                    return false
                }
                output += tag
                return true
            } ?? []
        }

        /// Decrypts bytes that are followed by their tag. Returns nil if they, the header or the key are not those of the
        /// encryption.
        static func open(
            _ bytes: [UInt8], key: [UInt8], nonce: [UInt8], authenticating header: [UInt8]
        ) throws -> [UInt8]? {
            guard bytes.count >= SealedToken.tagSize else { return nil }
            var tag = Array(bytes.suffix(SealedToken.tagSize))
            return try run(Array(bytes.dropLast(SealedToken.tagSize)), key, nonce, header, encrypts: false) {
                context, _ in
                true
            } before: { context in
                EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_TAG, CInt(tag.count), &tag) == 1
            }
        }

        private static func run(
            _ bytes: [UInt8], _ key: [UInt8], _ nonce: [UInt8], _ header: [UInt8], encrypts: Bool,
            after: (OpaquePointer, inout [UInt8]) -> Bool, before: (OpaquePointer) -> Bool = { _ in true }
        ) throws -> [UInt8]? {
            if let reason = tango_crypto_load() {
                throw TokenStoreError(
                    .noLibrary,
                    "an encrypted file needs libcrypto, which cannot be loaded (\(String(cString: reason))): install "
                        + "OpenSSL, on Debian and Ubuntu with `apt-get install libssl3`")
            }
            guard let context = EVP_CIPHER_CTX_new() else { throw unusable }
            defer { EVP_CIPHER_CTX_free(context) }
            guard EVP_CipherInit_ex(context, EVP_aes_256_gcm(), nil, key, nonce, encrypts ? 1 : 0) == 1 else {
                throw unusable
            }
            var written: CInt = 0
            var output = [UInt8](repeating: 0, count: bytes.count)
            guard EVP_CipherUpdate(context, nil, &written, header, CInt(header.count)) == 1,
                bytes.isEmpty || EVP_CipherUpdate(context, &output, &written, bytes, CInt(bytes.count)) == 1
            else { throw unusable }
            guard before(context) else { throw unusable }
            // GCM writes nothing here. Decryption checks the tag.
            var rest = [UInt8](repeating: 0, count: 16)
            guard EVP_CipherFinal_ex(context, &rest, &written) == 1 else {
                if encrypts { throw unusable }
                return nil
            }
            guard after(context, &output) else { throw unusable }
            return output
        }

        private static var unusable: TokenStoreError {
            TokenStoreError(
                .noLibrary, "libcrypto does not allow AES-256-GCM: change the configuration of OpenSSL")
        }
    }
#endif

#if os(Linux)
    import TangoCCrypto

    /// A hash function of libcrypto.
    final class SystemHash {
        private let context: OpaquePointer
        private let hash: Hash
        private var hasFailed = false

        init(_ hash: Hash) throws(MissingHash) {
            if let reason = tango_crypto_load() {
                throw MissingHash(
                    text:
                        "\(hash.rawValue) needs libcrypto, which cannot be loaded (\(String(cString: reason))): install "
                        + "OpenSSL, on Debian and Ubuntu with `apt-get install libssl3`")
            }
            let name = hash == .sha512_256 ? "SHA512-256" : hash.rawValue.filter { $0 != "-" }
            guard let function = EVP_get_digestbyname(name), let context = EVP_MD_CTX_new() else {
                throw Self.missing(hash)
            }
            guard EVP_DigestInit_ex(context, function, nil) == 1 else {
                EVP_MD_CTX_free(context)
                throw Self.missing(hash)
            }
            self.context = context
            self.hash = hash
        }

        deinit {
            EVP_MD_CTX_free(context)
        }

        private static func missing(_ hash: Hash) -> MissingHash {
            MissingHash(
                text:
                    "libcrypto does not allow \(hash.rawValue), as in FIPS mode: use another algorithm, or change the "
                    + "configuration of OpenSSL")
        }

        func update(_ bytes: UnsafeRawBufferPointer) {
            guard EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1 else { return hasFailed = true }
        }

        func finish() throws(MissingHash) -> [UInt8] {
            var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
            var count: UInt32 = 0
            guard !hasFailed, EVP_DigestFinal_ex(context, &digest, &count) == 1 else { throw Self.missing(hash) }
            return Array(digest.prefix(Int(count)))
        }
    }
#endif

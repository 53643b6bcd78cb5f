#if os(Linux)
    import TangoCCrypto

    /// A hash function of libcrypto.
    struct SystemHash: RunningHash {
        /// The memory of the library for the computation.
        private final class Context {
            let pointer: OpaquePointer

            init(_ pointer: OpaquePointer) {
                self.pointer = pointer
            }

            deinit {
                EVP_MD_CTX_free(pointer)
            }
        }

        private let context: Context
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
            guard let function = EVP_get_digestbyname(name), let pointer = EVP_MD_CTX_new() else {
                throw Self.missing(hash)
            }
            context = Context(pointer)
            self.hash = hash
            guard EVP_DigestInit_ex(pointer, function, nil) == 1 else { throw Self.missing(hash) }
        }

        private static func missing(_ hash: Hash) -> MissingHash {
            MissingHash(
                text:
                    "libcrypto does not allow \(hash.rawValue), as in FIPS mode: use another algorithm, or change the "
                    + "configuration of OpenSSL")
        }

        mutating func update(_ bytes: UnsafeRawBufferPointer) {
            guard EVP_DigestUpdate(context.pointer, bytes.baseAddress, bytes.count) == 1 else {
                return hasFailed = true
            }
        }

        mutating func finish() throws(MissingHash) -> [UInt8] {
            var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
            var count: UInt32 = 0
            guard !hasFailed, EVP_DigestFinal_ex(context.pointer, &digest, &count) == 1 else {
                throw Self.missing(hash)
            }
            return Array(digest.prefix(Int(count)))
        }
    }
#endif

#if canImport(CryptoKit)
    import CryptoKit

    /// A hash function of CryptoKit.
    struct SystemHash: RunningHash {
        private var function: any HashFunction

        init(_ hash: Hash) throws(MissingHash) {
            switch hash {
            case .md5: function = Insecure.MD5()
            case .sha1: function = Insecure.SHA1()
            case .sha256: function = CryptoKit.SHA256()
            case .sha512: function = SHA512()
            case .sha512_256:
                throw MissingHash(text: "CryptoKit has no SHA-512-256: use SHA-256")
            }
        }

        mutating func update(_ bytes: UnsafeRawBufferPointer) {
            function.update(bufferPointer: bytes)
        }

        mutating func finish() throws(MissingHash) -> [UInt8] {
            function.bytes
        }
    }

    extension HashFunction {
        fileprivate var bytes: [UInt8] { Array(finalize()) }
    }
#endif

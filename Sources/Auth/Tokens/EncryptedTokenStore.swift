/// A store that keeps a token in a file that is encrypted with AES-256-GCM by a key of yours.
///
/// ```swift
/// let session = TokenAuthenticator(oauth, store: .encryptedFile(folder.appending(path: "token"), key: key))
/// ```
///
/// The key has 32 random bytes, such as from a secret of the container or a key management service. A key that lies beside
/// the file protects nothing. On Linux, the libcrypto that libcurl brings is loaded at the first use.
///
/// In all else it is a ``FileTokenStore``. A file of another key is an error, and stays.
public struct EncryptedTokenStore: TokenStoreInFile {
    let file: TokenFile
    private let key: [UInt8]

    /// Creates a store. The file is created with the first token.
    ///
    /// - Parameters:
    ///   - url: The URL of the file.
    ///   - key: 32 random bytes. Each use fails with ``TokenStoreError/Code/badKey`` if there are more or fewer.
    public init(_ url: URL, key: Data) {
        file = TokenFile(url)
        self.key = Array(key)
    }

    public func load() throws -> StoredToken? {
        guard let sealed = try file.read() else { return nil }
        switch try SealedToken.open(sealed, key: key) {
        case .bytes(let bytes):
            guard let token = StoredToken(bytes: bytes) else { throw file.setAside() }
            return token
        case .damaged: throw file.setAside()
        case .wrongKey:
            throw TokenStoreError(
                .wrongKey, "\(file.path) is encrypted with another key: use that key, or remove the file")
        }
    }

    public func save(_ token: StoredToken) async throws {
        let sealed = try SealedToken.seal(try token.bytes, key: key)
        try await IO.run { [file] in try file.write(sealed) }
    }
}

extension EncryptedTokenStore: DescribedOnly {
    /// The path of the file.
    public var description: String { "encrypted tokens in \(file.path)" }
}

extension TokenStore where Self == EncryptedTokenStore {
    /// A store in a file that is encrypted with a key of 32 bytes.
    public static func encryptedFile(_ url: URL, key: Data) -> EncryptedTokenStore {
        EncryptedTokenStore(url, key: key)
    }
}

/// A store that keeps a token in a file that only this user can read.
///
/// ```swift
/// let session = TokenAuthenticator(oauth, store: .file(folder.appending(path: "token.json")))
/// ```
///
/// The file always contains a whole token, also if the process is killed while it is written. Processes may share it:
/// together they request one token. Beside it are a file for the lock, with the ending `.lock`, and sometimes a file with the
/// ending `.new`.
///
/// A folder that is missing is created, also for this user only. If other users may read the file, these permissions are
/// removed. A damaged file gets the ending `.damaged`. A sign-out removes it as well.
public struct FileTokenStore: TokenStoreInFile {
    let file: TokenFile

    /// Creates a store. The file is created with the first token.
    ///
    /// - Parameter url: The URL of the file.
    public init(_ url: URL) {
        file = TokenFile(url)
    }

    public func load() throws -> StoredToken? {
        guard let bytes = try file.read() else { return nil }
        guard let token = StoredToken(bytes: bytes) else { throw file.setAside() }
        return token
    }

    public func save(_ token: StoredToken) async throws {
        let bytes = try token.bytes
        try await IO.run { [file] in try file.write(bytes) }
    }
}

extension FileTokenStore: DescribedOnly {
    /// The path of the file.
    public var description: String { "tokens in \(file.path)" }
}

extension TokenStore where Self == FileTokenStore {
    /// A store in a file that only this user can read.
    public static func file(_ url: URL) -> FileTokenStore { FileTokenStore(url) }
}

/// A small private file that is replaced as a whole. All functions but ``exclusively(_:)`` block.
///
/// A new content is written to a second file, which takes the name of the first one when it is on the disk. The second
/// file is also the lock of its writer, so that a writer that was killed leaves at most one of them.
struct TokenFile: Sendable {
    let path: String
    private let writing = LockWait.forWriting
    private let requesting = LockWait.forRequesting
    private let files = FileSystem { TokenStoreError($0.isBusy ? .busy : .system, $0.problem) }

    /// The largest content, in bytes.
    private static let limit = 1 << 20

    init(_ url: URL) {
        path = url.isFileURL ? url.path(percentEncoded: false) : ""
    }

    /// Returns the content; nil if there is no file.
    func read() throws -> Data? {
        try checkPath()
        guard let file = try files.open(path) else { return nil }
        try makePrivate(file, path)
        let bytes = try file.read(upTo: Self.limit + 1)
        guard bytes.count <= Self.limit else { throw setAside() }
        return Data(bytes)
    }

    /// Replaces the content. When the function returns, the content is on the disk.
    func write(_ bytes: Data) throws {
        try checkPath()
        try files.makeFolder(folder)
        try withSecondFile { file in
            try file.truncate()
            try bytes.withUnsafeBytes { try file.write($0, at: 0) }
            try file.synchronize()
            try files.move(second, to: path)
        }
        try? synchronizeFolder()
    }

    /// Removes the file, a damaged one beside it, and what a killed writer has left. None of them need exist.
    func remove() throws {
        try checkPath()
        for path in [path, aside] { try files.remove(path) }
        if FileStatus(of: second) != nil { try withSecondFile { _ in _ = try files.remove(second) } }
        try? synchronizeFolder()
    }

    /// Renames a damaged file, and returns the error to throw.
    func setAside() -> any Error {
        do {
            try files.move(path, to: aside)
        } catch {
            return error
        }
        return TokenStoreError(
            .damaged, "\(path) is damaged, and was renamed to \(aside): let the user sign in again")
    }

    /// Runs a function while it has the lock of the file, which is released with the process.
    ///
    /// No thread is blocked while another process has the lock. When the task is cancelled, the wait ends. It also ends
    /// with an error if the other process has the lock for too long.
    func exclusively<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        try checkPath()
        try await IO.run { try files.makeFolder(folder) }
        let lock = try await FileLock.suspending(path + ".lock", requesting, on: files)
        defer { withExtendedLifetime(lock) {} }
        return try await body()
    }

    private var second: String { path + ".new" }
    private var aside: String { path + ".damaged" }

    private var folder: String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private func checkPath() throws {
        guard path.isEmpty || path.utf8.contains(0) || path.hasSuffix("/") else { return }
        throw TokenStoreError(
            .foreign, "the URL of the token store is not that of a file: create it with URL(filePath:)")
    }

    /// Removes the permissions of other users. Refuses the file of another user, and what is not a file.
    private func makePrivate(_ file: borrowing File, _ path: String) throws {
        let status = try file.status()
        guard status.isRegular else {
            throw TokenStoreError(.foreign, "\(path) is not a file: choose another path for the token store")
        }
        guard status.isOpenToOthers else { return }
        guard status.isOwn, (try? file.setPermissions(0o600)) != nil else {
            throw TokenStoreError(
                .foreign,
                "\(path) can be read by other users, and belongs to one of them: remove it, or choose another path")
        }
    }

    /// Creates the second file, or takes over that of a killed writer. Waits for other writers, which take milliseconds.
    private func withSecondFile(_ work: (borrowing File) throws -> Void) throws {
        guard let lock = try FileLock.waiting(second, writing, on: files) else { return }
        try makePrivate(lock.file, second)
        try work(lock.file)
    }

    /// Writes the names in the folder to the disk. A system that cannot do so does it later by itself.
    private func synchronizeFolder() throws {
        guard let file = try files.open(folder) else { return }
        try file.synchronize()
    }
}

/// A store whose token is in a file.
protocol TokenStoreInFile: TokenStore {
    var file: TokenFile { get }
}

extension TokenStoreInFile {
    public func remove() async throws {
        try await IO.run { [file] in try file.remove() }
    }

    public func exclusively<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        try await file.exclusively(body)
    }
}

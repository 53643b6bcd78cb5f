#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A small private file that is replaced as a whole. All functions but ``exclusively(_:)`` and ``onThread(_:)`` block.
///
/// A new content is written to a second file, which takes the name of the first one when it is on the disk. The second
/// file is also the lock of its writer, so that a writer that was killed leaves at most one of them.
struct TokenFile: Sendable {
    let path: String
    private let writing = LockWait.forWriting
    let requesting = LockWait.forRequesting

    /// The largest content, in bytes.
    private static let limit = 1 << 20

    init(_ url: URL) {
        path = url.isFileURL ? url.path(percentEncoded: false) : ""
    }

    /// Returns the content; nil if there is no file.
    func read() throws -> Data? {
        try checkPath()
        guard let file = try OpenedFile.existing(path) else { return nil }
        try file.makePrivate()
        let bytes = try file.read(upTo: Self.limit + 1)
        guard bytes.count <= Self.limit else { throw setAside() }
        return bytes
    }

    /// Replaces the content. When the function returns, the content is on the disk.
    func write(_ bytes: Data) throws {
        try checkPath()
        try makeFolder()
        let file = try lockedSecondFile()
        try file.replaceContent(with: bytes)
        guard rename(second, path) == 0 else { throw TokenStoreError(errno, "rename", second) }
        syncFolder()
    }

    /// Removes the file, a damaged one beside it, and what a killed writer has left. None of them need exist.
    func remove() throws {
        try checkPath()
        for path in [path, aside] {
            guard unlink(path) == 0 || errno == ENOENT else { throw TokenStoreError(errno, "remove", path) }
        }
        if try OpenedFile.existing(second) != nil {
            let left = try lockedSecondFile()
            defer { withExtendedLifetime(left) {} }
            guard unlink(second) == 0 || errno == ENOENT else { throw TokenStoreError(errno, "remove", second) }
        }
        syncFolder()
    }

    /// Renames a damaged file, and returns the error to throw.
    func setAside() -> TokenStoreError {
        guard rename(path, aside) == 0 else { return TokenStoreError(errno, "rename", path) }
        return TokenStoreError(
            .damaged, "\(path) is damaged, and was renamed to \(aside): let the user sign in again")
    }

    private var second: String { path + ".new" }
    private var aside: String { path + ".damaged" }

    var folder: String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    func checkPath() throws {
        guard path.isEmpty || path.utf8.contains(0) || path.hasSuffix("/") else { return }
        throw TokenStoreError(
            .foreign, "the URL of the token store is not that of a file: create it with URL(filePath:)")
    }

    /// Creates the second file, or takes over that of a killed writer. Waits for other writers, which take milliseconds.
    private func lockedSecondFile() throws -> OpenedFile {
        let file = try writing.blocking { () throws -> OpenedFile? in
            let file = try OpenedFile.created(second)
            // Another writer may have renamed the file since it was opened.
            return try file.lock() && file.isStill(at: second) ? file : nil
        }
        guard let file else { throw TokenStoreError(.busy, LockWait.problem(second)) }
        try file.makePrivate()
        return file
    }

    /// Creates the folder and those above it for this user only.
    func makeFolder() throws {
        try Self.makeFolder(folder)
    }

    private static func makeFolder(_ path: String) throws {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        let number = errno
        guard number == ENOENT, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex else {
            throw TokenStoreError(number, "create the folder", path)
        }
        try makeFolder(String(path[..<slash]))
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw TokenStoreError(errno, "create the folder", path)
        }
    }

    /// Writes the names in the folder to the disk. A system that cannot do so does it later by itself.
    private func syncFolder() {
        guard let file = try? OpenedFile.existing(folder) else { return }
        file.sync()
    }
}

extension TokenStoreError {
    /// Creates the error of a failed call of the system.
    init(_ number: CInt, _ action: String, _ path: String) {
        let cause = strerror(number).map { String(cString: $0) } ?? "error \(number)"
        self.init(
            .system,
            "cannot \(action) \(path): \(cause). Check the folder, its permissions and the space on the disk")
    }
}

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file descriptor, which is closed when the object is released. A lock ends with it.
final class OpenedFile: Sendable {
    private let descriptor: CInt
    private let path: String

    private init(_ descriptor: CInt, _ path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit {
        close(descriptor)
    }

    /// Opens a file or a folder for reading. Returns nil if there is none. A pipe is opened without waiting.
    static func existing(_ path: String) throws -> OpenedFile? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        if descriptor >= 0 { return OpenedFile(descriptor, path) }
        guard errno == ENOENT else { throw TokenStoreError(errno, "open", path) }
        return nil
    }

    /// Opens a file for writing, and creates it if it is missing. A link is not followed.
    static func created(_ path: String) throws -> OpenedFile {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw TokenStoreError(errno, "create", path) }
        return OpenedFile(descriptor, path)
    }

    /// Takes the lock of the file. Returns false if another process, or another object of this one, has it.
    func lock() throws -> Bool {
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
        guard errno == EWOULDBLOCK || errno == EINTR else { throw TokenStoreError(errno, "lock", path) }
        return false
    }

    /// Returns whether this file still has a path.
    func isStill(at path: String) -> Bool {
        var own = stat()
        var other = stat()
        return fstat(descriptor, &own) == 0 && lstat(path, &other) == 0 && own.st_ino == other.st_ino
            && own.st_dev == other.st_dev
    }

    /// Removes the permissions of other users. Refuses the file of another user, and what is not a file.
    func makePrivate() throws {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw TokenStoreError(errno, "examine", path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw TokenStoreError(.foreign, "\(path) is not a file: choose another path for the token store")
        }
        guard status.st_mode & 0o077 != 0 else { return }
        guard status.st_uid == geteuid(), fchmod(descriptor, 0o600) == 0 else {
            throw TokenStoreError(
                .foreign,
                "\(path) can be read by other users, and belongs to one of them: remove it, or choose another path")
        }
    }

    func read(upTo limit: Int) throws -> Data {
        var bytes = Data()
        while bytes.count < limit {
            let portion = try withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 1) { buffer in
                while true {
                    let count = systemRead(descriptor, buffer.baseAddress, min(buffer.count, limit - bytes.count))
                    if count >= 0 { return Data(buffer[..<count]) }
                    guard errno == EINTR else { throw TokenStoreError(errno, "read", path) }
                }
            }
            if portion.isEmpty { break }
            bytes += portion
        }
        return bytes
    }

    /// Replaces the content, which is on the disk when the function returns.
    func replaceContent(with bytes: Data) throws {
        guard ftruncate(descriptor, 0) == 0 else { throw TokenStoreError(errno, "write", path) }
        var written = 0
        let bytes = Array(bytes)
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { rest in
                pwrite(descriptor, rest.baseAddress, rest.count, off_t(written))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw TokenStoreError(errno, "write", path) }
            written += count
        }
        guard fsync(descriptor) == 0 else { throw TokenStoreError(errno, "write", path) }
    }

    func sync() {
        _ = fsync(descriptor)
    }
}

/// Calls `read`, which has the name of a method.
private func systemRead(_ descriptor: CInt, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    #if canImport(Darwin)
        Darwin.read(descriptor, buffer, count)
    #elseif canImport(Glibc)
        Glibc.read(descriptor, buffer, count)
    #else
        Musl.read(descriptor, buffer, count)
    #endif
}

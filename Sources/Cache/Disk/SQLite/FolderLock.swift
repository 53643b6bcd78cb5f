#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A lock between processes, and between stores of one process, that is free again when its owner is gone.
final class FolderLock: Sendable {
    private static let attempts = 5000

    private let descriptor: Int32

    private init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// The lock, if nobody has it.
    static func ifFree(_ path: String) throws -> FolderLock? {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CacheError(errno, .create, path) }
        let lock = FolderLock(descriptor)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            if errno == EWOULDBLOCK || errno == EINTR { return nil }
            throw CacheError(errno, .create, path)
        }
        // Who has a file that was removed meanwhile has the lock of nothing.
        return FileIdentity(of: path) == FileIdentity(of: descriptor) ? lock : nil
    }

    /// Does something while nobody else has the lock. Waits for it, but not for ever: its owner might be stopped.
    static func holding<Result>(_ path: String, _ work: () throws -> Result) throws -> Result {
        for _ in 0..<attempts {
            if let lock = try ifFree(path) { return try withExtendedLifetime(lock, work) }
            usleep(1000)
        }
        throw CacheError(.busy, "Another process has kept \(path) locked for too long: end that process.")
    }
}

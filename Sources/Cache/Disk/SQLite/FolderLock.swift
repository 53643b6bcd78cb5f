#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A lock between processes, and between stores of one process, that is gone when its owner is.
struct FolderLock: ~Copyable, Sendable {
    private static let attempts = 5000

    private let descriptor: Int32

    /// Waits for the lock, but not for ever: its owner might be stopped.
    init(_ path: String) throws {
        descriptor = try Self.open(path)
        for attempt in 1...Self.attempts {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return }
            guard errno == EWOULDBLOCK || errno == EINTR, attempt < Self.attempts else { break }
            usleep(1000)
        }
        close(descriptor)
        throw CacheError(
            .busy, "Another process has kept \(path) locked for too long: end that process, or remove the file.")
    }

    /// The lock, if nobody has it.
    init?(ifFree path: String) throws {
        descriptor = try Self.open(path)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
    }

    private static func open(_ path: String) throws -> Int32 {
        let flags = O_RDWR | O_CREAT | O_CLOEXEC
        #if canImport(Darwin)
            let descriptor = Darwin.open(path, flags, 0o600)
        #elseif canImport(Glibc)
            let descriptor = Glibc.open(path, flags, 0o600)
        #else
            let descriptor = Musl.open(path, flags, 0o600)
        #endif
        guard descriptor >= 0 else { throw CacheError(errno, .create, path) }
        return descriptor
    }

    /// Gives the lock up. So does the end of its scope, but that can be anywhere after the last use.
    consuming func release() {}

    deinit {
        close(descriptor)
    }
}

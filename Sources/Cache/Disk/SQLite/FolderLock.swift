#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A lock between processes, and between stores of one process. It is released when its owner ends.
final class FolderLock: Sendable {
    /// The result of an attempt to take a lock.
    enum Attempt {
        case taken(FolderLock)

        /// Another store has the lock.
        case held

        /// The file of the lock does not exist and was not created.
        case missing
    }

    private let descriptor: Int32

    private init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Takes the lock if it is free.
    ///
    /// - Parameter creates: Creates the file of the lock if it is missing.
    static func attempt(_ path: String, creates: Bool = true) throws -> Attempt {
        // Without this flag, opening a pipe waits for its other end.
        let flags = O_RDWR | O_CLOEXEC | O_NONBLOCK | (creates ? O_CREAT : 0)
        let descriptor = open(path, flags, 0o600)
        guard descriptor >= 0 else {
            if errno == ENOENT, !creates { return .missing }
            throw CacheError(errno, .create, path)
        }
        let lock = FolderLock(descriptor)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            if errno == EWOULDBLOCK || errno == EINTR { return .held }
            throw CacheError(errno, .create, path)
        }
        // A lock on a file that was removed meanwhile protects nothing.
        return FileIdentity(of: path) == FileIdentity(of: descriptor) ? .taken(lock) : .held
    }

    /// Takes the lock and creates its file if missing. Returns nil if another store has the lock.
    static func ifFree(_ path: String) throws -> FolderLock? {
        if case .taken(let lock) = try attempt(path) { lock } else { nil }
    }

    /// Runs a closure while no other store has the lock. The wait for the lock is limited, because its owner might be
    /// stopped.
    ///
    /// - Parameter creates: Creates the file of the lock if it is missing. If false, the closure runs without the lock,
    ///   which no other store can have.
    static func holding<Result>(_ path: String, creates: Bool = true, _ work: () throws -> Result) throws -> Result {
        let taken = try LockWait.forWriting.blocking { () throws -> Attempt? in
            let attempt = try attempt(path, creates: creates)
            if case .held = attempt { return nil }
            return attempt
        }
        guard let taken else {
            throw CacheError(.busy, "Another process has locked \(path) for too long. End that process.")
        }
        return try withExtendedLifetime(taken, work)
    }
}

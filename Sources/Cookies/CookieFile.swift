#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file that only its user can read, that is replaced as a whole, and that processes change one after another.
struct CookieFile: Sendable {
    let path: String
    private let wait = LockWait.forWriting

    init(path: String) {
        self.path = path
    }

    /// The name of the file that is written before it takes the place of the other. It belongs to the holder of the lock.
    private var newPath: String { path + ".new" }
    /// The file that a process locks while it writes. The file itself cannot be locked, because it is replaced.
    private var lockPath: String { path + ".lock" }
    var damagedPath: String { path + ".damaged" }

    /// Returns the bytes of the file; nil if there is none.
    func read() throws(CookieJarError) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw error("read", path)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw error("read", path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw CookieJarError(message: "\(path) is not a file: choose the path of a file for the cookies")
        }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = buffer.withUnsafeMutableBytes { Self.read(descriptor, $0) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw error("read", path) }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
        }
    }

    /// Replaces the file. A process that is killed at any moment leaves the old file or the new one.
    func replace(with bytes: [UInt8]) throws(CookieJarError) {
        unlink(newPath)
        let descriptor = open(newPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw error("create", newPath) }
        do {
            defer { close(descriptor) }
            var written = 0
            while written < bytes.count {
                let count = bytes[written...].withUnsafeBytes { Self.write(descriptor, $0) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw error("write", newPath) }
                written += count
            }
            // Without this, the new name could reach the disk before the bytes.
            guard fsync(descriptor) == 0 else { throw error("write", newPath) }
        }
        try move(newPath, to: path)
    }

    /// Renames the file, because it is damaged. An earlier damaged file is replaced.
    func setAside() throws(CookieJarError) { try move(path, to: damagedPath) }

    /// Removes a damaged file that was renamed. It need not exist.
    func removeDamaged() throws(CookieJarError) {
        guard unlink(damagedPath) == 0 || errno == ENOENT else { throw error("remove", damagedPath) }
    }

    /// Runs work while no other process, and no other jar, changes the file. Fails if another one has the lock for too
    /// long.
    ///
    /// - Parameter start: The moment at which the work was to be done.
    func locked<Value>(
        since start: ContinuousClock.Instant, _ work: () throws(CookieJarError) -> Value
    ) throws(CookieJarError) -> Value {
        let descriptor = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw error("create", lockPath) }
        defer { close(descriptor) }
        let taken = try wait.blocking(since: start) { () throws(CookieJarError) -> Bool? in
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
            guard errno == EWOULDBLOCK || errno == EINTR else { throw error("lock", lockPath) }
            return nil
        }
        guard taken != nil else { throw CookieJarError(message: LockWait.problem(lockPath)) }
        return try work()
    }

    private func move(_ old: String, to new: String) throws(CookieJarError) {
        guard rename(old, new) == 0 else { throw error("rename", old) }
    }

    private func error(_ action: String, _ path: String) -> CookieJarError {
        CookieJarError(
            message: "cannot \(action) \(path): \(String(cString: strerror(errno))). "
                + "Check the folder, its permissions and the space on the disk.")
    }

    private static func read(_ descriptor: CInt, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
        #if canImport(Darwin)
            Darwin.read(descriptor, buffer.baseAddress, buffer.count)
        #elseif canImport(Glibc)
            Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        #else
            Musl.read(descriptor, buffer.baseAddress, buffer.count)
        #endif
    }

    private static func write(_ descriptor: CInt, _ buffer: UnsafeRawBufferPointer) -> Int {
        #if canImport(Darwin)
            Darwin.write(descriptor, buffer.baseAddress, buffer.count)
        #elseif canImport(Glibc)
            Glibc.write(descriptor, buffer.baseAddress, buffer.count)
        #else
            Musl.write(descriptor, buffer.baseAddress, buffer.count)
        #endif
    }
}

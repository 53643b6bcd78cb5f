/// A file that only its user can read, that is replaced as a whole, and that processes change one after another.
struct CookieFile: Sendable {
    let path: String
    private let wait = LockWait.forWriting
    private let files = FileSystem { failure in
        CookieJarError(message: failure.isBusy ? failure.problem : failure.problem + ".")
    }

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
        try attempt {
            guard let file = try files.open(path) else { return nil }
            guard try file.status().isRegular else {
                throw CookieJarError(message: "\(path) is not a file: choose the path of a file for the cookies")
            }
            return try file.read()
        }
    }

    /// Replaces the file. A process that is killed at any moment leaves the old file or the new one.
    func replace(with bytes: [UInt8]) throws(CookieJarError) {
        try attempt {
            try files.remove(newPath)
            let file = try files.require(newPath, for: .creating)
            try bytes.withUnsafeBytes { try file.write($0) }
            // Without this, the new name could reach the disk before the bytes.
            try file.synchronize()
            try files.move(newPath, to: path)
        }
    }

    /// Renames the file, because it is damaged. An earlier damaged file is replaced.
    func setAside() throws(CookieJarError) {
        try attempt { try files.move(path, to: damagedPath) }
    }

    /// Removes a damaged file that was renamed. It need not exist.
    func removeDamaged() throws(CookieJarError) {
        try attempt { _ = try files.remove(damagedPath) }
    }

    /// Runs work while no other process, and no other jar, changes the file. Fails if another one has the lock for too
    /// long.
    ///
    /// - Parameter start: The moment at which the work was to be done.
    func locked(
        since start: ContinuousClock.Instant, _ work: () throws(CookieJarError) -> Void
    ) throws(CookieJarError) {
        try attempt { try FileLock.holding(lockPath, wait, since: start, on: files) { try work() } }
    }

    private func attempt<Value>(_ work: () throws -> Value) throws(CookieJarError) -> Value {
        do {
            return try work()
        } catch {
            throw error as? CookieJarError ?? CookieJarError(message: "\(error)")
        }
    }
}

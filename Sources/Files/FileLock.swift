import TangoPlatform

/// A lock between processes, and between objects of one process: a file that is locked while the object exists. It is
/// released when the process ends, even by a kill.
package final class FileLock: Sendable {
    /// The result of an attempt to take a lock.
    package enum Attempt {
        case taken(FileLock)

        /// Another process, or another object of this one, has the lock.
        case held

        /// The file of the lock does not exist and was not created.
        case missing
    }

    /// The locked file.
    package let file: File

    private init(_ file: consuming File) {
        self.file = file
    }

    deinit {
        file.unlock()
    }

    /// Takes the lock if it is free. A link in place of its file is not followed.
    ///
    /// - Parameter creates: Creates the file of the lock if it is missing.
    package static func attempt(_ path: String, creates: Bool = true, on files: FileSystem) throws -> Attempt {
        guard let file = try files.open(path, for: creates ? .changing(permissions: 0o600) : .overwriting) else {
            if creates { throw files.failure(ENOENT, .create, path) }
            return .missing
        }
        // A lock on a file that was removed or renamed meanwhile protects nothing.
        return try file.lock() && file.isStill(at: path) ? .taken(FileLock(file)) : .held
    }

    /// Takes the lock and creates its file if missing. Returns nil if another process has the lock.
    package static func ifFree(_ path: String, on files: FileSystem) throws -> FileLock? {
        if case .taken(let lock) = try attempt(path, on: files) { lock } else { nil }
    }

    /// Takes the lock once it is free. The thread is blocked meanwhile.
    ///
    /// - Parameters:
    ///   - creates: Creates the file of the lock if it is missing. If false, nil is returned for a missing one, which no
    ///     other process can have locked.
    ///   - start: The beginning of the wait. Work that has waited for other work since then waits no longer than that.
    package static func waiting(
        _ path: String, creates: Bool = true, _ wait: LockWait = .forWriting,
        since start: ContinuousClock.Instant = .now, on files: FileSystem
    ) throws -> FileLock? {
        let end = start + wait.limit
        while true {
            switch try attempt(path, creates: creates, on: files) {
            case .taken(let lock): return lock
            case .missing: return nil
            case .held: break
            }
            guard ContinuousClock.now < end else { throw files.failure(ETIMEDOUT, .lock, path) }
            usleep(1000)
        }
    }

    /// Runs work while it has the lock. See ``waiting(_:creates:_:since:on:)``.
    package static func holding<Result>(
        _ path: String, creates: Bool = true, _ wait: LockWait = .forWriting,
        since start: ContinuousClock.Instant = .now, on files: FileSystem, _ work: () throws -> Result
    ) throws -> Result {
        let lock = try waiting(path, creates: creates, wait, since: start, on: files)
        return try withExtendedLifetime(lock, work)
    }

    /// Takes the lock once it is free. No thread is blocked for long. When the task is cancelled, the wait ends.
    package static func suspending(_ path: String, _ wait: LockWait, on files: FileSystem) async throws -> FileLock {
        let lock = try await wait.suspending { try await IO.run { try ifFree(path, on: files) } }
        guard let lock else { throw files.failure(ETIMEDOUT, .lock, path) }
        return lock
    }
}

/// The longest wait for a lock that another process, or another object of this one, has.
///
/// Each wait has a deadline, because the owner of the lock may be stopped. After it, the work fails with an error that
/// names the file.
package struct LockWait: Sendable {
    package var limit: Duration

    package init(limit: Duration) {
        self.limit = limit
    }

    /// The wait for an owner that reads or writes a small file, which takes milliseconds.
    @TaskLocal package static var forWriting = LockWait(limit: .seconds(5))
    /// The wait for an owner that sends a request meanwhile.
    @TaskLocal package static var forRequesting = LockWait(limit: .seconds(60))

    /// Returns a lock once it is free; nil if the wait was too long. No thread is blocked meanwhile. When the task is
    /// cancelled, the wait ends.
    package func suspending<Lock>(_ attempt: () async throws -> Lock?) async throws -> Lock? {
        let end = ContinuousClock.now + limit
        var pause = Duration.milliseconds(2)
        while true {
            try Task.checkCancellation()
            if let lock = try await attempt() { return lock }
            guard ContinuousClock.now < end else { return nil }
            try await Task.sleep(for: pause)
            pause = min(pause * 2, .milliseconds(50))
        }
    }
}

import Dispatch

extension TokenFile {
    /// Runs a function that blocks on a thread that no tasks share.
    func onThread<Value: Sendable>(_ work: @escaping @Sendable (TokenFile) throws -> Value) async throws -> Value {
        try await withUnsafeThrowingContinuation { continuation in
            Self.queue.async { continuation.resume(with: Result { try work(self) }) }
        }
    }

    private static let queue = DispatchQueue.global()

    /// Runs a function while it has the lock of the file, which is released with the process.
    ///
    /// No thread is blocked while another process has the lock. When the task is cancelled, the wait ends. It also ends
    /// with an error if the other process has the lock for too long.
    func exclusively<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        let lock = try await taken()
        defer { withExtendedLifetime(lock) {} }
        return try await body()
    }

    private func taken() async throws -> OpenedFile {
        let lock = try await requesting.suspending { try await onThread { try $0.attempt() } }
        guard let lock else { throw TokenStoreError(.busy, LockWait.problem(lockPath)) }
        return lock
    }

    private var lockPath: String { path + ".lock" }

    /// Takes the lock if it is free.
    private func attempt() throws -> OpenedFile? {
        try checkPath()
        try makeFolder()
        let file = try OpenedFile.created(lockPath)
        // A lock of a file that was removed meanwhile protects nothing.
        return try file.lock() && file.isStill(at: lockPath) ? file : nil
    }
}

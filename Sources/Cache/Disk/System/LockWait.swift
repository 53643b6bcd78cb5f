#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The wait for a lock that another process, or another object of this one, has. All locks of files use it.
///
/// Each wait has a deadline, because the owner of the lock may be stopped. After it, the work fails with an error that
/// names the file.
package struct LockWait: Sendable {
    /// The longest wait.
    package var limit: Duration

    package init(limit: Duration) {
        self.limit = limit
    }

    /// The wait for an owner that reads or writes a small file, which takes milliseconds.
    @TaskLocal package static var forWriting = LockWait(limit: .seconds(5))
    /// The wait for an owner that sends a request meanwhile.
    @TaskLocal package static var forRequesting = LockWait(limit: .seconds(60))

    /// Returns a lock once it is free; nil if the wait was too long. The thread is blocked meanwhile.
    ///
    /// - Parameter start: The beginning of the wait. Work that has waited for other work since then waits no longer than that.
    package func blocking<Lock, Failure: Error>(
        since start: ContinuousClock.Instant = .now, _ attempt: () throws(Failure) -> Lock?
    ) throws(Failure) -> Lock? {
        let end = start + limit
        while true {
            if let lock = try attempt() { return lock }
            guard ContinuousClock.now < end else { return nil }
            usleep(1000)
        }
    }

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

    /// The text of the error after the wait.
    package static func problem(_ path: String) -> String {
        "another process has locked \(path) for too long: end that process"
    }
}

import Dispatch

extension Promise {
    /// Blocks this thread until the promise settles. Meant for scripts and tests.
    ///
    /// ```swift
    /// let user = try loadUser(1).wait(timeout: .seconds(10))
    /// ```
    ///
    /// Throws ``PromiseError/timedOut`` if the promise does not settle in time; the promise itself goes on.
    ///
    /// Throws ``PromiseError/deadlock`` at once if waiting would block the scheduler that the promise needs. This
    /// happens on the main thread for a promise with a handler there, and inside a handler on the same scheduler.
    ///
    /// Tango cannot detect a deadlock on a serial queue that runs code of your application. If such code waits for a
    /// handler on `.queue(queue)` of the same queue, it blocks until `timeout`, or for ever. In `async` code, await
    /// ``value``.
    @available(*, noasync, message: "await the promise's value instead")
    public func wait(timeout: Duration? = nil) throws -> Value {
        try settle(within: timeout)
        return try outcome(of: Value.self).get()
    }
}

extension AnyPromise {
    /// Blocks until the promise has settled.
    fileprivate final func settle(within timeout: Duration?) throws {
        if settledPhase() != nil { return }
        if needsThisThread { throw PromiseError.deadlock }
        let watcher = ThreadWatcher(watching: self)
        add(watcher)
        guard let timeout else { return watcher.semaphore.wait() }
        let deadline = DispatchTime(after: timeout)
        if watcher.semaphore.wait(timeout: deadline) == .timedOut, settledPhase() == nil {
            watcher.detach(from: self)
            throw PromiseError(timedOutAfter: timeout, waitingFor: self)
        }
    }
}

/// A thread that waits for a promise.
private final class ThreadWatcher: AnyPromise, @unchecked Sendable {
    // Unchecked: its one property is constant.
    let semaphore = DispatchSemaphore(value: 0)

    override func sourceSettled(_ source: consuming AnyPromise) {
        semaphore.signal()
    }
}

extension DispatchTime {
    /// The time at which a wait that begins now ends. A duration that Dispatch cannot represent never ends.
    fileprivate init(after duration: Duration) {
        let now = DispatchTime.now().uptimeNanoseconds
        guard duration > .zero else { self.init(uptimeNanoseconds: now); return }
        // The components of longer ones may not fit.
        guard duration < .seconds(1 << 40) else { self = .distantFuture; return }
        let (seconds, attoseconds) = duration.components
        let (nanoseconds, isTooLong) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let (end, isTooLate) = nanoseconds.addingReportingOverflow(now + UInt64(attoseconds / 1_000_000_000))
        self = isTooLong || isTooLate || end > UInt64(Int64.max) ? .distantFuture : DispatchTime(uptimeNanoseconds: end)
    }
}

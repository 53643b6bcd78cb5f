import Dispatch

extension Promise {
    /// Blocks this thread until the promise settles: for scripts and tests.
    ///
    /// ```swift
    /// let user = try loadUser(1).wait(timeout: .seconds(10))
    /// ```
    ///
    /// Throws ``PromiseError/timedOut`` when time is up, and leaves the promise alone. Throws ``PromiseError/deadlock`` at
    /// once where it would block the very scheduler that the promise needs: on the main thread for a promise that has
    /// something to do there, or inside a handler on the same scheduler. In `async` code, await ``value``.
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
        let semaphore = DispatchSemaphore(value: 0)
        let link = AnyPromise(after: self, on: .immediate, [.everything, .inline]) { link, _ in
            link.finish(.fulfilled, isPlain: true)
            semaphore.signal()
        }
        add(link)
        let deadline = timeout.map { DispatchTime.now() + $0.dispatchInterval } ?? .distantFuture
        if semaphore.wait(timeout: deadline) == .timedOut, settledPhase() == nil {
            link.detach(from: self)
            throw PromiseError.timedOut
        }
    }
}

extension Duration {
    fileprivate var dispatchInterval: DispatchTimeInterval {
        let (seconds, attoseconds) = components
        let (nanoseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let sum = nanoseconds.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflow || sum.overflow ? .never : .nanoseconds(Int(sum.partialValue))
    }
}

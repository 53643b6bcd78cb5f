extension Promise {
    /// A promise that whoever settles it does not keep alive: for work that is to end when nobody is left who would hear
    /// of it. The handler for a cancellation, and what it holds, goes with the promise.
    ///
    /// - Parameter origin: The work that the promise stands for, as reports name it. Debug builds only.
    package static func unowned(
        on scheduler: Scheduler = .background, origin: @autoclosure () -> String,
        onCancel: @escaping @Sendable () -> Void
    ) -> Promise {
        let promise = Promise(on: scheduler, at: CreationSite(origin: origin()))
        promise.onCancel(onCancel)
        return promise
    }

    /// A promise that is rejected already, of some work: see ``unowned(on:origin:onCancel:)``.
    package static func rejected(
        _ error: any Error, on scheduler: Scheduler, origin: @autoclosure () -> String
    ) -> Promise {
        let promise = Promise(runningOn: scheduler, at: CreationSite(origin: origin()))
        promise.reject(error)
        return promise
    }

    /// Fulfils a promise that has no resolver. False if it was cancelled.
    package func settle(_ value: Value) -> Bool {
        fulfillOpen(value)
        return isFulfilled
    }

    /// Rejects a promise that has no resolver.
    package func settle(throwing error: any Error) {
        if claim() { reject(error) }
    }

    /// The value, if it is there.
    package var output: Value? { isFulfilled ? loadSlot() : nil }
}

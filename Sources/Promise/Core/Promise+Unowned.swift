extension Promise {
    /// Creates a promise that its producer does not retain, for work that ends when no consumer is left. The
    /// cancellation handler is released with the promise.
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

    /// Creates a rejected promise for a piece of work: see ``unowned(on:origin:onCancel:)``.
    package static func rejected(
        _ error: any Error, on scheduler: Scheduler, origin: @autoclosure () -> String
    ) -> Promise {
        let promise = Promise(runningOn: scheduler, at: CreationSite(origin: origin()))
        promise.reject(error)
        return promise
    }

    /// Fulfils a promise that has no resolver. Returns false if it was cancelled.
    package func settle(_ value: Value) -> Bool {
        fulfillOpen(value)
        return isFulfilled
    }

    /// Rejects a promise that has no resolver.
    package func settle(throwing error: any Error) {
        if claim() { reject(error) }
    }

    /// A Boolean value that indicates whether the promise was cancelled.
    package var isCancelled: Bool { phase == .cancelled }

    /// The value of a fulfilled promise, or nil.
    package var output: Value? { isFulfilled ? loadSlot() : nil }
}

extension Promise {
    /// A promise that whoever settles it does not keep alive: for work that is to end when nobody is left who would hear
    /// of it. The handler for a cancellation, and what it holds, goes with the promise.
    package static func unowned(
        on scheduler: Scheduler = .background, file: StaticString = #fileID, line: UInt = #line,
        onCancel: @escaping @Sendable () -> Void
    ) -> Promise {
        let promise = Promise(on: scheduler, at: CreationSite(file: file, line: line))
        promise.onCancel(onCancel)
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

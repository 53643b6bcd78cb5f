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

    /// Settles a promise that has no resolver.
    package func settle(_ result: Result<Value, any Error>) {
        switch result {
        case .success(let value): fulfillOpen(value)
        case .failure(let error): if claim() { reject(error) }
        }
    }
}

/// The object that settles a promise. The first call wins; all later calls are ignored.
///
/// If the last reference to the resolver of a pending promise is released, the promise rejects with
/// ``PromiseError/abandoned`` and ``PromiseEvents/onDropped`` reports it.
///
/// ```swift
/// func load(_ url: URL) -> Promise<Data> {
///     let (promise, resolver) = Promise<Data>.pending()
///     let task = legacyLoad(url) { data, error in
///         if let data { resolver.fulfill(data) } else { resolver.reject(error ?? LoadError()) }
///     }
///     resolver.onCancel { task.cancel() }
///     return promise
/// }
/// ```
///
/// You can use a resolver from any thread. Settling returns before any handler runs, except those on
/// ``Scheduler/immediate``.
public final class Resolver<Value: Sendable>: Sendable {
    @usableFromInline let promise: AnyPromise

    @inlinable
    init(_ promise: Promise<Value>) {
        self.promise = promise
    }

    deinit {
        promise.abandon()
    }

    /// Fulfils the promise.
    @inlinable
    public func fulfill(_ value: Value) {
        promise.fulfillOpen(value)
    }

    /// Rejects the promise. A `CancellationError` cancels it for all consumers.
    @inlinable
    public func reject(_ error: any Error) {
        if promise.claim() { promise.reject(error) }
    }

    /// Fulfils or rejects the promise.
    @inlinable
    public func settle(_ result: Result<Value, any Error>) {
        switch result {
        case .success(let value): fulfill(value)
        case .failure(let error): reject(error)
        }
    }

    /// Settles the promise with the outcome of `other`. From then on the promise is locked in: other calls are ignored.
    /// If the promise was cancelled, it leaves `other` at once, which is cancelled unless another consumer waits for
    /// it.
    ///
    /// A promise that would wait for itself rejects with ``PromiseError/cycle``.
    @inlinable
    public func follow(_ other: Promise<Value>) {
        promise.followOpen(other)
    }

    /// Adds a handler that runs when the promise is cancelled before it is settled or locked in. Use it to stop the
    /// work.
    ///
    /// The handler runs inside the call that cancels, or at once if the promise was cancelled before. Several handlers
    /// run in order.
    public func onCancel(_ handler: @escaping @Sendable () -> Void) {
        promise.onCancel(handler)
    }
}

extension Resolver where Value == Void {
    /// Fulfils a promise that carries no value.
    @inlinable
    public func fulfill() {
        fulfill(())
    }
}

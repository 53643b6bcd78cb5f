/// The one who settles a promise: the first call wins, all others are ignored.
///
/// Dropping the last reference to a resolver whose promise is still pending rejects that promise with
/// ``PromiseError/abandoned`` and reports it through ``PromiseEvents/onDropped``, so that nobody waits for ever.
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
/// Safe from any thread. Settling returns before any handler runs, except for those on ``Scheduler/immediate``.
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

    /// Rejects the promise. Rejecting with `CancellationError` cancels it, for all who wait for it.
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

    /// Makes the promise settle as `other` does. From here on it is locked in: other calls are ignored. If the promise has
    /// been cancelled, `other` is left at once, and cancelled unless somebody else waits for it.
    ///
    /// A promise that would wait for itself is rejected with ``PromiseError/cycle``.
    @inlinable
    public func follow(_ other: Promise<Value>) {
        promise.followOpen(other)
    }

    /// Calls `handler` when the promise is cancelled before it was settled or locked in: stop the work, nobody waits for it.
    ///
    /// It runs inside the call that cancels, or at once if that has happened already. Several handlers run in order.
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

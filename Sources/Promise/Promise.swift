/// A value that will be available later, or an error.
///
/// A promise settles once: it is fulfilled with a value or rejected with an error. Attach handlers with `next`, `then`,
/// `catch` and the other operators. Each operator returns a new promise, so that steps form a chain:
///
/// ```swift
/// let name = Promise { try await api.user(1) }
///     .map { user in user.name }
///     .recover { _ in "anonymous" }
/// ```
///
/// **Threading.** You can use a promise from any thread. A handler runs on the promise's ``Scheduler``. Handlers run in
/// the order in which they were attached, and never inside the call that attaches them or settles the promise.
/// ``Scheduler/immediate`` is the one exception.
///
/// **Lifetime.** A promise is eager: its work runs even if no handler is attached. The producer retains the promise,
/// and the promise retains its links, so you do not have to store it.
public final class Promise<Value: Sendable>: AnyPromise, @unchecked Sendable {
    // Unchecked: it has no storage of its own.

    // The initialisers that take a closure give it a label, which trailing closures omit. So for `Promise(1)` the
    // compiler considers one initialiser. With four, a chain of computing closures after it took seconds to check.

    /// Creates a promise that is already fulfilled.
    @_disfavoredOverload  // so that `Promise { 1 }` is a promise of an Int, not of a closure
    @inlinable
    public convenience init(_ value: Value, file: StaticString = #fileID, line: UInt = #line) {
        self.init(runningOn: .background, at: CreationSite(file: file, line: line))
        fulfillUnshared(value)
    }

    /// Creates a promise that `body` settles through its resolver, now or later. An error that `body` throws rejects
    /// the promise.
    ///
    /// Pass the closure as a trailing closure, `Promise<Int> { resolver in … }`, or with its label:
    /// `Promise(resolvedBy: load)`.
    @inlinable
    public convenience init(
        on scheduler: Scheduler = .background, file: StaticString = #fileID, line: UInt = #line,
        resolvedBy body: (Resolver<Value>) throws -> Void
    ) {
        self.init(on: scheduler, at: CreationSite(file: file, line: line))
        let resolver = Resolver(self)
        do {
            try body(resolver)
        } catch {
            resolver.reject(error)
        }
    }

    /// Creates a pending promise and the resolver that settles it.
    ///
    /// Keep the resolver until you call it: a promise whose resolver is released rejects with
    /// ``PromiseError/abandoned``. Swift releases a variable after its last use, so keep the resolver with the work,
    /// for example in the callback that settles it.
    @inlinable
    public static func pending(
        on scheduler: Scheduler = .background, file: StaticString = #fileID, line: UInt = #line
    ) -> (promise: Promise, resolver: Resolver<Value>) {
        let promise = Promise(on: scheduler, at: CreationSite(file: file, line: line))
        return (promise, Resolver(promise))
    }

    /// Creates a promise that is already fulfilled.
    @inlinable
    public static func fulfilled(
        _ value: Value, on scheduler: Scheduler = .background, file: StaticString = #fileID, line: UInt = #line
    ) -> Promise {
        let promise = Promise(runningOn: scheduler, at: CreationSite(file: file, line: line))
        promise.fulfillUnshared(value)
        return promise
    }

    /// Creates a promise that is already rejected.
    @inlinable
    public static func rejected(
        _ error: any Error, on scheduler: Scheduler = .background, file: StaticString = #fileID, line: UInt = #line
    ) -> Promise {
        let promise = Promise(runningOn: scheduler, at: CreationSite(file: file, line: line))
        promise.reject(error)
        return promise
    }

    /// Creates a link after this promise. Every operator begins with it.
    @inlinable
    func link<Output>(
        on scheduler: Scheduler? = nil, _ traits: Traits, _ handler: @escaping Handler
    ) -> Promise<Output> {
        let link = Promise<Output>(after: self, on: scheduler ?? self.scheduler, traits, handler)
        add(link)
        return link
    }

    @usableFromInline
    override init(on scheduler: Scheduler, at site: CreationSite) {
        super.init(on: scheduler, at: site)
    }

    @usableFromInline
    override init(after source: AnyPromise, on scheduler: Scheduler, _ traits: Traits, _ handler: @escaping Handler) {
        super.init(after: source, on: scheduler, traits, handler)
    }

    @usableFromInline
    override init(runningOn scheduler: Scheduler, at site: CreationSite) {
        super.init(runningOn: scheduler, at: site)
    }

    override func destroyValue() {
        _ = slot.take(as: Value.self)
    }

    override func copyValue(of source: AnyPromise) {
        slot.store(source.loadSlot(as: Value.self))
    }
}

extension Promise {
    /// Creates a promise that its producer does not retain, for work that ends when no consumer is left. The promise
    /// retains the work until it is settled.
    ///
    /// - Parameter origin: The work that the promise stands for, as reports name it. Debug builds only.
    package static func unowned(
        on scheduler: Scheduler = .background, origin: @autoclosure () -> String, work: any PromiseWork
    ) -> Promise {
        let promise = Promise(on: scheduler, at: CreationSite(origin: origin()))
        promise.setProducer(.work(work))
        return promise
    }

    /// Creates a rejected promise for a piece of work: see ``unowned(on:origin:work:)``.
    package static func rejected(
        _ error: any Error, on scheduler: Scheduler, origin: @autoclosure () -> String, isHandled: Bool = false
    ) -> Promise {
        let promise = Promise(runningOn: scheduler, at: CreationSite(origin: origin()))
        promise.reject(error, orHandled: isHandled)
        return promise
    }

    /// Fulfils a promise that has no resolver. Returns false if it was cancelled.
    package func settle(_ value: Value) -> Bool {
        fulfillOpen(value)
        return isFulfilled
    }

    /// Rejects a promise that has no resolver.
    ///
    /// - Parameter isHandled: A Boolean value that indicates whether something else handles the error, so that it is not reported.
    package func settle(throwing error: any Error, isHandled: Bool = false) {
        if claim() { reject(error, orHandled: isHandled) }
    }

    private func reject(_ error: any Error, orHandled isHandled: Bool) {
        if isHandled, !(error is CancellationError) { reject(error, isHandled: true) } else { reject(error) }
    }

    /// A Boolean value that indicates whether the promise was cancelled.
    package var isCancelled: Bool { phase == .cancelled }

    /// The value of a fulfilled promise, or nil.
    package var output: Value? { isFulfilled ? loadSlot() : nil }
}

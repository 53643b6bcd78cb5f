/// A value that will be there later, or an error.
///
/// A promise settles once: it is fulfilled with a value or rejected with an error, whichever comes first. Handlers are
/// attached with `next`, `then`, `catch` and the other operators, each of which returns a new promise, so that steps form
/// a chain:
///
/// ```swift
/// let name = Promise { try await api.user(1) }
///     .map { user in user.name }
///     .recover { _ in "anonymous" }
/// ```
///
/// **Threading.** A promise is safe from any thread. A handler runs on the promise's ``Scheduler``, in the order in which
/// the handlers were attached and never inside the call that attaches it or settles the promise (except on
/// ``Scheduler/immediate``). A promise is eager: its work goes on whether or not anybody has attached to it.
///
/// **Lifetime.** Whoever will settle a promise keeps it alive, and it keeps its links alive; nothing has to be stored.
public final class Promise<Value: Sendable>: AnyPromise, @unchecked Sendable {
    // Unchecked: it has no storage of its own.

    // The initialisers that take a closure give it a label, which trailing closures leave out. So for `Promise(1)` the
    // compiler has one initialiser to consider; with four, a chain of computing closures after it took seconds to check.

    /// A promise that is fulfilled already.
    @_disfavoredOverload  // so that `Promise { 1 }` is a promise of an Int, not of a closure
    @inlinable
    public convenience init(_ value: Value, file: StaticString = #fileID, line: UInt = #line) {
        self.init(runningOn: .background, at: CreationSite(file: file, line: line))
        fulfillUnshared(value)
    }

    /// A promise that `body` settles through its resolver, now or later. An error that it throws rejects the promise.
    ///
    /// Write the closure behind the call, `Promise<Int> { resolver in … }`, or name it: `Promise(resolvedBy: load)`.
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

    /// A promise and the resolver that settles it.
    ///
    /// Keep the resolver until then: a promise whose resolver is gone is rejected with ``PromiseError/abandoned``. Swift
    /// releases a variable after its last use, so keep it where the work is, for example in a callback that settles it.
    @inlinable
    public static func pending(
        on scheduler: Scheduler = .background, file: StaticString = #fileID, line: UInt = #line
    ) -> (promise: Promise, resolver: Resolver<Value>) {
        let promise = Promise(on: scheduler, at: CreationSite(file: file, line: line))
        return (promise, Resolver(promise))
    }

    /// A promise that is fulfilled already.
    @inlinable
    public static func fulfilled(
        _ value: Value, on scheduler: Scheduler = .background, file: StaticString = #fileID, line: UInt = #line
    ) -> Promise {
        let promise = Promise(runningOn: scheduler, at: CreationSite(file: file, line: line))
        promise.fulfillUnshared(value)
        return promise
    }

    /// A promise that is rejected already.
    @inlinable
    public static func rejected(
        _ error: any Error, on scheduler: Scheduler = .background, file: StaticString = #fileID, line: UInt = #line
    ) -> Promise {
        let promise = Promise(runningOn: scheduler, at: CreationSite(file: file, line: line))
        promise.reject(error)
        return promise
    }

    /// A link after this promise: the start of every operator.
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

import Synchronization
import TangoPromise

/// A run with its output: what turns a response into it, and what waits for it.
///
/// The promise is made when it is asked for, so that a call with callbacks alone costs none, and its failure is not taken
/// for one that nobody handles.
final class CallRun<Output: Sendable>: CallCore, @unchecked Sendable {
    // Unchecked, as its superclass: everything is constant, or behind a lock.

    typealias Callback = @Sendable (Promise<Call<Output>>) -> Void

    let serializer: Serializer<Output>
    let scheduler: Scheduler
    private let outcome = Mutex(Outcome())

    private struct Outcome {
        /// The call that looks at this run: while it is managed, or as long as somebody else holds it.
        var managedCall: Call<Output>?
        weak var unmanagedCall: Call<Output>?
        /// The promise, which keeps an unmanaged call. When it is fulfilled, it is where the output is.
        var promise: Promise<Output>?
        weak var unmanagedPromise: Promise<Output>?
        var error: (any Error)?
        /// Whether callbacks that are added find the outcome.
        var isTold = false
        /// What the callbacks hang on.
        var settled: (promise: Promise<Call<Output>>, resolver: Resolver<Call<Output>>)?
        var callbacks: [Callback] = []
    }

    init(_ plan: consuming Plan<Output>, lifetime: CallLifetime) {
        serializer = plan.serializer
        scheduler = plan.callbackScheduler
        super.init(plan.common, lifetime: lifetime)
    }

    /// The plan, for another run.
    var again: Plan<Output> { Plan(common: plan, serializer: serializer, callbackScheduler: scheduler) }

    func start(for call: Call<Output>) {
        outcome.withLock { outcome in
            if lifetime == .managed { outcome.managedCall = call } else { outcome.unmanagedCall = call }
        }
        start()
    }

    // MARK: Settling

    override func arrive(_ response: () throws -> HTTPResponse) {
        do {
            let response = try response()
            guard keep(response) else { return }
            let output = try output(of: response)
            finish(.success, error: nil) { settle(output) }
        } catch {
            let error = complete(error)
            end(error, as: error is CancellationError ? .cancelled : .failure)
        }
    }

    private func output(of response: HTTPResponse) throws -> Output {
        let context = SerializationContext(json: plan.client.json)
        do {
            try plan.validation.check(response, context: context)
            return try serializer.serialize(response, context: context)
        } catch let error as RequestError {
            throw plan.errorSerializer?.refine(error, context: context) ?? error
        }
    }

    override func end(_ error: any Error, as kind: FinishedState) {
        finish(kind, error: error) { settle(error) }
    }

    private func settle(_ output: Output) {
        let promise = outcome.withLock { outcome in
            let promise = outcome.promise ?? outcome.unmanagedPromise
            outcome.promise = promise ?? .fulfilled(output, on: scheduler)
            return promise
        }
        // One that its consumers have left, and the callbacks have not, is cancelled: then it cannot hold the output.
        if let promise, !promise.settle(output) {
            let kept = Promise.fulfilled(output, on: scheduler)
            outcome.withLock { $0.promise = kept }
        }
        tellCallbacks(isCancelled: false)
    }

    private func settle(_ error: any Error) {
        let promise = outcome.withLock { outcome in
            defer { outcome.promise = nil }
            outcome.error = error
            return outcome.promise ?? outcome.unmanagedPromise
        }
        promise?.settle(throwing: error)
        tellCallbacks(isCancelled: error is CancellationError)
    }

    /// Tells those who wait. Without a call, which an unmanaged one may have lost by now, callbacks have nobody to speak to.
    private func tellCallbacks(isCancelled: Bool) {
        let (settled, call) = outcome.withLock { outcome in
            defer {
                outcome.isTold = true
                outcome.settled = nil
                outcome.managedCall = nil
            }
            return (outcome.settled, outcome.managedCall ?? outcome.unmanagedCall)
        }
        guard let settled else { return }
        if let call, !isCancelled {
            settled.resolver.fulfill(call)
        } else {
            settled.resolver.reject(CancellationError())
        }
    }

    // MARK: Waiting

    /// The promise of a call, one and the same as long as somebody holds it.
    func promise(of call: Call<Output>) -> Promise<Output> {
        outcome.withLock { outcome in
            if let promise = outcome.promise ?? outcome.unmanagedPromise { return promise }
            if let error = outcome.error { return .rejected(error, on: scheduler) }
            guard lifetime == .unmanaged else {
                let promise = Promise<Output>.unowned(on: scheduler) { [self] in desert() }
                outcome.promise = promise
                return promise
            }
            let promise = Promise<Output>.unowned(on: scheduler) { call.run.desert() }
            outcome.unmanagedPromise = promise
            return promise
        }
    }

    /// The consumers of the promise have left. Those who wait for a callback have not.
    private func desert() {
        if outcome.withLock({ $0.settled == nil }) { cancel() }
    }

    /// What has come of the run; nil while it goes on.
    var result: Result<Output, any Error>? {
        let (promise, error) = outcome.withLock { ($0.promise, $0.error) }
        if let error { return .failure(error) }
        return promise?.output.map { .success($0) }
    }

    /// The callbacks that were added, for another run.
    var callbacks: [Callback] { outcome.withLock(\.callbacks) }

    /// Has a callback run when the call has settled.
    func add(_ callback: @escaping Callback, of call: Call<Output>) {
        let promise = outcome.withLock { outcome in
            outcome.callbacks.append(callback)
            if outcome.isTold { return Promise.fulfilled(call) }
            if let promise = outcome.settled?.promise { return promise }
            let settled = Promise<Call<Output>>.pending(on: scheduler)
            outcome.settled = settled
            return settled.promise
        }
        callback(promise)
    }

    /// There is nobody any more whom they could tell.
    override func forgetCallbacks() {
        let forgotten = outcome.withLock { outcome in
            defer { outcome.callbacks = [] }
            return outcome.callbacks
        }
        _ = forgotten  // released out here: they may hold anything
    }
}

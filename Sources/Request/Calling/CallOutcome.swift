import Synchronization
import TangoPromise

/// What comes of a call, and who is to hear of it. Made before the run, and settled by it.
///
/// The promise is made when it is asked for, so that a call with callbacks alone costs none, and its failure is not taken
/// for one that nobody handles.
final class CallOutcome<Output: Sendable>: Sendable {
    typealias Result = Swift.Result<Output, any Error>

    /// What a callback gets.
    struct Settled: Sendable {
        let result: Result
        let call: Call<Output>
    }

    typealias Callback = @Sendable (Promise<Settled>) -> Void

    private struct State {
        var result: Result?
        /// The promise of a managed call, which the run keeps.
        var managed: (promise: Promise<Output>, resolver: Resolver<Output>)?
        /// The promise of an unmanaged call, which keeps the call.
        weak var unmanaged: Promise<Output>?
        /// What the callbacks hang on.
        var callbacks: (promise: Promise<Settled>, resolver: Resolver<Settled>)?
        var all: [Callback] = []
    }

    private let state = Mutex(State())
    private let scheduler: Scheduler

    init(on scheduler: Scheduler) {
        self.scheduler = scheduler
    }

    /// The callbacks that were added, for another run.
    var all: [Callback] { state.withLock(\.all) }

    /// The promise of a call, one and the same as long as somebody holds it.
    func promise(of call: Call<Output>) -> Promise<Output> {
        let core = call.core
        return state.withLock { state in
            if let promise = state.managed?.promise ?? state.unmanaged { return promise }
            if let result = state.result {
                switch result {
                case .success(let value): return .fulfilled(value, on: scheduler)
                case .failure(let error): return .rejected(error, on: scheduler)
                }
            }
            guard core.lifetime == .unmanaged else {
                let (promise, resolver) = Promise<Output>.pending(on: scheduler)
                resolver.onCancel { [self] in desert(core) }
                state.managed = (promise, resolver)
                return promise
            }
            let promise = Promise<Output>.unowned(on: scheduler) { [self] in desert(call.core) }
            state.unmanaged = promise
            return promise
        }
    }

    /// The consumers of the promise have left. Those who wait for a callback have not.
    private func desert(_ core: CallCore) {
        if state.withLock({ $0.callbacks == nil }) { core.cancel() }
    }

    /// Lets go of the callbacks, for there is nobody any more whom they could tell.
    func forgetCallbacks() {
        let forgotten = state.withLock { state in
            defer { state.all = [] }
            return state.all
        }
        _ = forgotten  // released out here: they may hold anything
    }

    /// Has a callback run when the call has settled.
    func add(_ callback: @escaping Callback, of call: Call<Output>) {
        let promise = state.withLock { state in
            state.all.append(callback)
            if let result = state.result { return Promise.fulfilled(Settled(result: result, call: call)) }
            if let promise = state.callbacks?.promise { return promise }
            let callbacks = Promise<Settled>.pending(on: scheduler)
            state.callbacks = callbacks
            return callbacks.promise
        }
        callback(promise)
    }

    /// Tells everybody. Without a call, which an unmanaged one may have lost by now, callbacks have nobody to speak to.
    func settle(_ result: Result, call: Call<Output>?) {
        let (managed, unmanaged, callbacks) = state.withLock { state in
            defer {
                state.result = result
                state.managed = nil
                state.callbacks = nil
            }
            return (state.managed, state.unmanaged, state.callbacks)
        }
        managed?.resolver.settle(result)
        unmanaged?.settle(result)
        guard let callbacks else { return }
        if let call, !result.isCancellation {
            callbacks.resolver.fulfill(Settled(result: result, call: call))
        } else {
            callbacks.resolver.reject(CancellationError())
        }
    }
}

extension Result where Failure == any Error {
    fileprivate var isCancellation: Bool {
        if case .failure(is CancellationError) = self { true } else { false }
    }
}

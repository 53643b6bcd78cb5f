/// One run of a request, which ``Request/start(lifetime:)`` returns.
///
/// It can be cancelled, followed, and run again. Safe from any thread.
public final class Call<Output: Sendable>: AnyCall, @unchecked Sendable {
    // Unchecked, as its superclass: it is constant.

    let outcome: Outcome<Output>
    private let decoder: OutputDecoder<Output>

    private init(_ plan: Plan<Output>, lifetime: CallLifetime) {
        outcome = Outcome(scheduler: plan.callbackScheduler)
        decoder = plan.decoder
        let (common, client) = (plan.common, plan.common.client)
        let (own, ofClient, global) = (common.observers, client.configuration.observers, GlobalObservers.all)
        let isObserved = !own.isEmpty || !ofClient.isEmpty || !global.isEmpty
        let events = isObserved ? CallEvents.of(own + ofClient + global, on: client.eventQueue) : nil
        super.init(CallCore(common, receiver: .call(decoder, outcome), lifetime: lifetime, events: events))
    }

    deinit {
        core.handleIsGone()
    }

    static func start(
        _ plan: Plan<Output>, lifetime: CallLifetime, callbacks: [Outcome<Output>.Callback]? = nil
    ) -> Call {
        let call = Call(plan, lifetime: lifetime)
        if let callbacks { for callback in callbacks { call.outcome.add(callback, of: call) } }
        call.start()
        return call
    }

    /// Starts a call whose promise exists before its first delivery.
    static func promise(_ plan: Plan<Output>) -> Promise<Output> {
        let call = Call(plan, lifetime: .managed)
        let promise = call.promise
        call.start()
        return promise
    }

    private func start() {
        outcome.withState { state in
            if core.lifetime == .managed { state.managedCall = self } else { state.unmanagedCall = self }
        }
        core.start()
    }

    /// The promise of the output.
    public var promise: Promise<Output> { outcome.promise(of: self) }

    /// The output, awaited. A task that is cancelled leaves the call. When its last consumer leaves, the call is cancelled.
    public var value: Output {
        get async throws { try await promise.value }
    }

    /// Starts a new call with the same callbacks, for the request as it was declared at the start of this call.
    @discardableResult
    public func retry() -> Call {
        Call.start(
            Plan(common: core.plan, decoder: decoder, callbackScheduler: outcome.scheduler), lifetime: core.lifetime,
            callbacks: outcome.callbacks)
    }

    // MARK: Callbacks

    /// Adds callbacks. After ``AnyCall/cancel()`` and ``AnyCall/detach()`` no callback runs, and none after the release of an
    /// unmanaged call.
    ///
    /// The callbacks of a call run in the order in which they were added, one at a time on a scheduler, also those that are
    /// added after its end.
    ///
    /// One of the two runs, once. With ``CachePolicy/cacheThenNetwork`` they run twice if a response is cached: with its output,
    /// and then with that of the server, even if it is the same, or with the error.
    @discardableResult
    public func then(
        success: @escaping @Sendable (Output, Call) -> Void,
        failure: @escaping @Sendable (any Error, Call) -> Void = { _, _ in }
    ) -> Call {
        then(on: outcome.scheduler, success: success, failure: failure)
    }

    /// Adds callbacks that run on a scheduler.
    @discardableResult
    public func then(
        on scheduler: Scheduler, success: @escaping @Sendable (Output, Call) -> Void,
        failure: @escaping @Sendable (any Error, Call) -> Void = { _, _ in }
    ) -> Call {
        add { line, handle, round in
            line.next(on: scheduler) { _ -> Void in
                guard let call = handle.call else { return }
                switch call.outcome.result(of: round) {
                case .success(let value): success(value, call)
                case .failure(let error): failure(error, call)
                case nil: break
                }
            }
        }
    }

    /// Adds callbacks that run on the main actor.
    @discardableResult
    public func then(
        on scheduler: MainScheduler, success: @escaping @MainActor (Output, Call) -> Void,
        failure: @escaping @MainActor (any Error, Call) -> Void = { _, _ in }
    ) -> Call {
        add { line, handle, round in
            line.next(on: scheduler) { _ -> Void in
                guard let call = handle.call else { return }
                switch call.outcome.result(of: round) {
                case .success(let value): success(value, call)
                case .failure(let error): failure(error, call)
                case nil: break
                }
            }
        }
    }

    private func add(_ callback: @escaping Outcome<Output>.Callback) -> Call {
        outcome.add(callback, of: self)
        return self
    }
}

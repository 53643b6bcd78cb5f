import TangoPromise

/// One run of a request: what ``Request/start(lifetime:)`` returns.
///
/// It can be cancelled, followed, and run again. Safe from any thread.
public final class Call<Output: Sendable>: AnyCall, @unchecked Sendable {
    // Unchecked, as its superclass: it has nothing that changes.

    private let plan: Plan<Output>
    private let run: CallRun<Output>

    private init(_ plan: Plan<Output>, lifetime: CallLifetime) {
        self.plan = plan
        run = CallRun(plan, lifetime: lifetime)
        super.init(run)
    }

    deinit {
        core.handleIsGone()
    }

    static func start(
        _ plan: Plan<Output>, lifetime: CallLifetime, callbacks: [CallOutcome<Output>.Callback] = []
    ) -> Call {
        let call = Call(plan, lifetime: lifetime)
        for callback in callbacks { call.run.outcome.add(callback, of: call) }
        call.run.start(for: call)
        return call
    }

    /// What comes of the call.
    public var promise: Promise<Output> { run.outcome.promise(of: self) }

    /// What comes of the call, awaited. A task that is cancelled leaves it, and the last one to leave cancels it.
    public var value: Output {
        get async throws { try await promise.value }
    }

    /// The same run once more, with the same callbacks: what the request declared when this one began.
    @discardableResult
    public func retry() -> Call {
        Call.start(plan, lifetime: core.lifetime, callbacks: run.outcome.all)
    }

    // MARK: Callbacks

    /// Adds callbacks to those that are there. After ``AnyCall/cancel()`` and ``AnyCall/detach()`` none runs any more.
    @discardableResult
    public func then(
        success: @escaping @Sendable (Output, Call) -> Void,
        failure: @escaping @Sendable (any Error, Call) -> Void = { _, _ in }
    ) -> Call {
        then(on: plan.callbackScheduler, success: success, failure: failure)
    }

    /// Adds callbacks that run on a scheduler.
    @discardableResult
    public func then(
        on scheduler: Scheduler, success: @escaping @Sendable (Output, Call) -> Void,
        failure: @escaping @Sendable (any Error, Call) -> Void = { _, _ in }
    ) -> Call {
        add { settled in
            settled.next(on: scheduler) { settled in
                guard settled.call.core.callsBack else { return }
                switch settled.result {
                case .success(let value): success(value, settled.call)
                case .failure(let error): failure(error, settled.call)
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
        add { settled in
            settled.next(on: scheduler) { settled -> Void in
                guard settled.call.core.callsBack else { return }
                switch settled.result {
                case .success(let value): success(value, settled.call)
                case .failure(let error): failure(error, settled.call)
                }
            }
        }
    }

    private func add(_ callback: @escaping CallOutcome<Output>.Callback) -> Call {
        run.outcome.add(callback, of: self)
        return self
    }
}

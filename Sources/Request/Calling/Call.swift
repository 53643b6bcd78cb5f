import TangoPromise

/// One run of a request: what ``Request/start(lifetime:)`` returns.
///
/// It can be cancelled, followed, and run again. Safe from any thread.
public final class Call<Output: Sendable>: AnyCall, @unchecked Sendable {
    // Unchecked, as its superclass: it has nothing that changes.

    let run: CallRun<Output>

    private init(_ run: CallRun<Output>) {
        self.run = run
        super.init(run)
    }

    deinit {
        core.handleIsGone()
    }

    static func start(
        _ plan: consuming Plan<Output>, lifetime: CallLifetime, callbacks: [CallRun<Output>.Callback]? = nil
    ) -> Call {
        let run = CallRun(plan, lifetime: lifetime)
        let call = Call(run)
        if let callbacks { for callback in callbacks { run.add(callback, of: call) } }
        run.start(for: call)
        return call
    }

    /// Begins a run whose promise is there before: the run keeps nothing of what it delivers.
    static func promise(_ plan: consuming Plan<Output>) -> Promise<Output> {
        let run = CallRun(plan, lifetime: .managed)
        let call = Call(run)
        let promise = call.promise
        run.start(for: call)
        return promise
    }

    /// What comes of the call.
    public var promise: Promise<Output> { run.promise(of: self) }

    /// What comes of the call, awaited. A task that is cancelled leaves it, and the last one to leave cancels it.
    public var value: Output {
        get async throws { try await promise.value }
    }

    /// The same run once more, with the same callbacks: what the request declared when this one began.
    @discardableResult
    public func retry() -> Call {
        Call.start(run.again, lifetime: core.lifetime, callbacks: run.callbacks)
    }

    // MARK: Callbacks

    /// Adds callbacks to those that are there. After ``AnyCall/cancel()`` and ``AnyCall/detach()`` none runs any more.
    ///
    /// One of the two runs, once. With ``CachePolicy/cacheThenNetwork`` they run twice where something is kept: with that, and
    /// then with the server's answer, even if it is the same, or its error.
    @discardableResult
    public func then(
        success: @escaping @Sendable (Output, Call) -> Void,
        failure: @escaping @Sendable (any Error, Call) -> Void = { _, _ in }
    ) -> Call {
        then(on: run.scheduler, success: success, failure: failure)
    }

    /// Adds callbacks that run on a scheduler.
    @discardableResult
    public func then(
        on scheduler: Scheduler, success: @escaping @Sendable (Output, Call) -> Void,
        failure: @escaping @Sendable (any Error, Call) -> Void = { _, _ in }
    ) -> Call {
        add { settled, round in
            settled.next(on: scheduler) { call -> Void in
                guard call.core.callsBack else { return }
                switch call.run.result(of: round) {
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
        add { settled, round in
            settled.next(on: scheduler) { call -> Void in
                guard call.core.callsBack else { return }
                switch call.run.result(of: round) {
                case .success(let value): success(value, call)
                case .failure(let error): failure(error, call)
                case nil: break
                }
            }
        }
    }

    private func add(_ callback: @escaping CallRun<Output>.Callback) -> Call {
        run.add(callback, of: self)
        return self
    }
}

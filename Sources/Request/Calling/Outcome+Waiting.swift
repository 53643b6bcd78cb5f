/// The promise and the callbacks that wait for a call.
extension Outcome {
    /// Returns the promise of a call: the same one as long as something holds it.
    func promise(of call: Call<Output>) -> Promise<Output> {
        let core = call.core
        #if DEBUG
            // Outside the lock, because it may run a function of the query's style.
            let origin = core.plan.origin
        #else
            let origin = ""
        #endif
        let promise = withState { state -> AnyPromise in
            state.isObserved = true
            if let promise = state.promise ?? state.unmanagedPromise { return promise }
            if let error = state.error {
                let isHandled = state.isErrorSeen || state.isSilent
                let promise = Promise<Output>.rejected(error, on: scheduler, origin: origin, isHandled: isHandled)
                state.promise = promise
                return promise
            }
            // An unmanaged call is held by its promise.
            let work: any PromiseWork = core.lifetime == .unmanaged ? call : core
            let promise = Promise<Output>.unowned(on: scheduler, origin: origin, work: work)
            if core.lifetime == .unmanaged { state.unmanagedPromise = promise } else { state.promise = promise }
            return promise
        }
        return typed(promise)
    }

    func loseConsumers() -> Bool {
        let (isLeft, old) = withState { state -> (Bool, AnyPromise?) in
            guard state.lineResolver != nil || audience(of: state)?.isFollowed == true else { return (true, nil) }
            state.unmanagedPromise = nil
            // This promise is cancelled. The next one is another.
            return (false, state.isOver || state.isDeliveredTwice ? nil : replace(&state.promise, with: nil))
        }
        withExtendedLifetime(old) {}
        return isLeft
    }

    /// Returns a delivery; nil before there is one.
    func result(of round: Round) -> Result<Output, any Error>? {
        let (promise, error) = withState { state -> (AnyPromise?, (any Error)?) in
            guard state.isDeliveredTwice else { return (state.promise, state.error) }
            return switch round {
            case .first: (state.promise, nil)
            case .last: (audience(of: state)?.second, state.error)
            }
        }
        if let error { return .failure(error) }
        return promise.flatMap { typed($0).output }.map { .success($0) }
    }

    /// The callbacks that were added, for another call; nil for none, and after they were released.
    var callbacks: Callbacks? { withState { held(&$0) } }

    /// The same callbacks, as they are at the moment.
    var heldCallbacks: [Callback]? { withState { held(&$0)?.all } }

    private func held(_ state: inout OutcomeState) -> Callbacks? {
        (state.callbacks ?? state.releasedCallbacks).map { unsafeDowncast($0, to: Callbacks.self) }
    }

    func seeError() {
        withState { $0.isErrorSeen = true }
    }

    func takeUnseenError() -> (any Error)? {
        withState { state in
            guard state.isHandleGone, !state.isErrorSeen, !state.isObserved, !state.isSilent, !state.isDeliveredTwice,
                let error = state.error
            else { return nil }
            state.isErrorSeen = true
            // The request declares what happens to a call of the same kind.
            return (error as? RequestError)?.code == .duplicate ? nil : error
        }
    }

    /// The call of a callback that waits.
    ///
    /// A managed call is held until the callback has run. An unmanaged call is not: once it was released, no callback
    /// runs.
    struct Handle: Sendable {
        let outcome: Outcome
        let managed: Call<Output>?
        /// Held for ``Call/retry()`` in a callback.
        let callbacks: Callbacks?

        /// A Boolean value that indicates whether callbacks may run.
        private var callsBack: Bool { !outcome.withState(\.isSilent) }

        /// Returns a delivery for a callback of an owner, which needs no call; nil if callbacks may not run. A streamed output is for
        /// this callback alone if nothing holds the call.
        func result(of round: Round) -> Result<Output, any Error>? {
            guard callsBack else { return nil }
            let result = outcome.result(of: round)
            let body = outcome.withState { $0.isHandleGone ? $0.takeStreamed() : nil }
            withExtendedLifetime(body) {}
            return result
        }

        /// The call, if its callbacks may run.
        var call: Call<Output>? {
            callsBack ? managed ?? outcome.withState(\.unmanagedCall).map(outcome.typed) : nil
        }
    }

    /// Adds a callback that runs for each delivery, also for those that there were before.
    func add(_ callback: Callback, of call: Call<Output>) {
        let (line, round, callbacks) = withState { state -> (Promise<Void>, Round, Callbacks) in
            let callbacks = hold(callback, &state)
            if callback.seesErrors { state.isErrorSeen = true }
            let round: Round = state.hasNotified && !state.isDeliveredTwice ? .last : .first
            return (state.attachedLine(on: scheduler), round, callbacks)
        }
        let managed = call.core.lifetime == .managed ? call : nil
        let handle = Handle(outcome: self, managed: managed, callbacks: callbacks)
        callback.attach(line, handle, round)
        guard call.core.plan.cachePolicy.fetch == .cacheThenNetwork, round == .first else { return }
        let hasNotifiedAgain = withState { state in
            let audience = attended(&state)
            let isCancelled = state.error is CancellationError
            if !audience.hasNotifiedAgain, !isCancelled { audience.repeated.append(callback) }
            return audience.hasNotifiedAgain
        }
        if hasNotifiedAgain { callback.attach(line, handle, .last) }
    }

    /// Adds a callback to those for another call. If they were released, they are held as long as they have to run.
    private func hold(_ callback: Callback, _ state: inout OutcomeState) -> Callbacks {
        let all = held(&state) ?? Callbacks([])
        all.add(callback)
        let isReleased = state.isSilent || state.isOver && state.error == nil
        if isReleased { state.releasedCallbacks = all } else { state.callbacks = all }
        return all
    }
}

extension OutcomeState {
    /// Returns the line, which is made for the first callback.
    fileprivate mutating func attachedLine(on scheduler: Scheduler) -> Promise<Void> {
        if let line { return line }
        if hasNotified {
            let new = Promise<Void>.fulfilled((), on: scheduler)
            line = new
            return new
        }
        let (new, resolver) = Promise<Void>.pending(on: scheduler)
        (line, lineResolver) = (new, resolver)
        return new
    }
}

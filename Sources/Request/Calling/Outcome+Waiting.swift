import TangoPromise

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
        return withState { state in
            if let promise = state.promise ?? state.unmanagedPromise { return promise }
            if let error = state.error { return .rejected(error, on: scheduler, origin: origin) }
            guard core.lifetime == .unmanaged else {
                let promise = Promise<Output>.unowned(on: scheduler, origin: origin) { [self] in leave(core) }
                state.promise = promise
                return promise
            }
            // An unmanaged call is held by its promise.
            let promise = Promise<Output>.unowned(on: scheduler, origin: origin) { call.outcome.leave(call.core) }
            state.unmanagedPromise = promise
            return promise
        }
    }

    /// Cancels the call because the consumers of its promise have left, unless callbacks or followers wait for it.
    private func leave(_ core: CallCore) {
        let (isLeft, old) = withState { state -> (Bool, Promise<Output>?) in
            guard state.settled != nil || state.audience?.isFollowed == true else { return (true, nil) }
            state.unmanagedPromise = nil
            // This promise is cancelled. The next one is another.
            return (false, state.isOver || state.isDeliveredTwice ? nil : replace(&state.promise, with: nil))
        }
        withExtendedLifetime(old) {}
        if isLeft { core.cancel() }
    }

    /// Returns a delivery; nil before there is one.
    func result(of round: Round) -> Result<Output, any Error>? {
        let (promise, error) = withState { state -> (Promise<Output>?, (any Error)?) in
            guard state.isDeliveredTwice else { return (state.promise, state.error) }
            return switch round {
            case .first: (state.promise, nil)
            case .last: (state.audience?.second, state.error)
            }
        }
        if let error { return .failure(error) }
        return promise?.output.map { .success($0) }
    }

    /// The callbacks that were added, for another call.
    var callbacks: [Callback] { withState(\.callbacks) ?? [] }

    /// Adds a callback that runs for each delivery, also for those that there were before.
    func add(_ callback: @escaping Callback, of call: Call<Output>) {
        let mayRepeat = call.core.plan.cachePolicy.fetch == .cacheThenNetwork
        let (promise, round) = withState { state -> (Promise<Call<Output>>, Round) in
            state.callbacks = state.callbacks ?? []
            state.callbacks?.append(callback)
            if state.hasNotified { return (.fulfilled(call), state.isDeliveredTwice ? .first : .last) }
            if let promise = state.settled?.promise { return (promise, .first) }
            let settled = Promise<Call<Output>>.pending(on: scheduler)
            state.settled = settled
            return (settled.promise, .first)
        }
        let link = callback(promise, round)
        guard mayRepeat, round == .first else { return }
        let hasNotifiedAgain = withState { state in
            let audience = state.attended
            let isCancelled = state.error is CancellationError
            if !audience.hasNotifiedAgain, !isCancelled { audience.repeated.append((callback, link)) }
            return audience.hasNotifiedAgain
        }
        if hasNotifiedAgain { Self.notifyAgain(callback, after: link, of: call) }
    }
}

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
            guard state.lineResolver != nil || state.audience?.isFollowed == true else { return (true, nil) }
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

    /// The call of a callback that waits.
    ///
    /// A managed call is held until the callback has run. An unmanaged call is not: once it was released, no callback
    /// runs.
    struct Handle: Sendable {
        let outcome: Outcome
        let managed: Call<Output>?

        /// The call, if its callbacks may run.
        var call: Call<Output>? {
            guard let call = managed ?? outcome.withState(\.unmanagedCall), call.core.callsBack else { return nil }
            return call
        }
    }

    /// Adds a callback that runs for each delivery, also for those that there were before.
    func add(_ callback: @escaping Callback, of call: Call<Output>) {
        let handle = Handle(outcome: self, managed: call.core.lifetime == .managed ? call : nil)
        let (line, round) = withState { state -> (Promise<Void>, Round) in
            state.callbacks = state.callbacks ?? []
            state.callbacks?.append(callback)
            return (state.attachedLine(on: scheduler), state.hasNotified && !state.isDeliveredTwice ? .last : .first)
        }
        callback(line, handle, round)
        guard call.core.plan.cachePolicy.fetch == .cacheThenNetwork, round == .first else { return }
        let hasNotifiedAgain = withState { state in
            let audience = state.attended
            let isCancelled = state.error is CancellationError
            if !audience.hasNotifiedAgain, !isCancelled { audience.repeated.append(callback) }
            return audience.hasNotifiedAgain
        }
        if hasNotifiedAgain { callback(line, handle, .last) }
    }
}

extension Outcome.State {
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

import TangoPromise

/// The promise and the callbacks that wait for a run.
extension CallRun {
    /// The promise of a call, one and the same as long as somebody holds it.
    func promise(of call: Call<Output>) -> Promise<Output> {
        #if DEBUG
            // Out here, because it may run a function of the query's style.
            let origin = plan.origin
        #else
            let origin = ""
        #endif
        return outcome.withLock { outcome in
            if let promise = outcome.promise ?? outcome.unmanagedPromise { return promise }
            if let error = outcome.error { return .rejected(error, on: scheduler, origin: origin) }
            guard lifetime == .unmanaged else {
                let promise = Promise<Output>.unowned(on: scheduler, origin: origin) { [self] in desert() }
                outcome.promise = promise
                return promise
            }
            let promise = Promise<Output>.unowned(on: scheduler, origin: origin) { call.run.desert() }
            outcome.unmanagedPromise = promise
            return promise
        }
    }

    /// The consumers of the promise have left. Those who wait for a callback, or follow the values, have not.
    private func desert() {
        let (isDeserted, old) = outcome.withLock { outcome -> (Bool, Promise<Output>?) in
            guard outcome.settled != nil || outcome.audience?.isFollowed == true else { return (true, nil) }
            outcome.unmanagedPromise = nil
            // This one is cancelled: the next that is asked for is another.
            return (false, outcome.isOver || outcome.isDeliveredTwice ? nil : replace(&outcome.promise, with: nil))
        }
        withExtendedLifetime(old) {}
        if isDeserted { cancel() }
    }

    /// What was delivered; nil while nothing was.
    func result(of round: Round) -> Result<Output, any Error>? {
        let (promise, error) = outcome.withLock { outcome -> (Promise<Output>?, (any Error)?) in
            guard outcome.isDeliveredTwice else { return (outcome.promise, outcome.error) }
            return switch round {
            case .first: (outcome.promise, nil)
            case .last: (outcome.audience?.second, outcome.error)
            }
        }
        if let error { return .failure(error) }
        return promise?.output.map { .success($0) }
    }

    /// The callbacks that were added, for another run.
    var callbacks: [Callback] { outcome.withLock(\.callbacks) ?? [] }

    /// Has a callback run when the call has settled: for both deliveries, where there are two, however late it comes.
    func add(_ callback: @escaping Callback, of call: Call<Output>) {
        let mayRepeat = plan.cachePolicy.fetch == .cacheThenNetwork
        let (promise, round) = outcome.withLock { outcome -> (Promise<Call<Output>>, Round) in
            outcome.callbacks = outcome.callbacks ?? []
            outcome.callbacks?.append(callback)
            if outcome.isTold { return (.fulfilled(call), outcome.isDeliveredTwice ? .first : .last) }
            if let promise = outcome.settled?.promise { return (promise, .first) }
            let settled = Promise<Call<Output>>.pending(on: scheduler)
            outcome.settled = settled
            return (settled.promise, .first)
        }
        let link = callback(promise, round)
        guard mayRepeat, round == .first else { return }
        let isToldAgain = outcome.withLock { outcome in
            let audience = outcome.attended
            let isCancelled = outcome.error is CancellationError
            if !audience.isToldAgain, !isCancelled { audience.repeated.append((callback, link)) }
            return audience.isToldAgain
        }
        if isToldAgain { Self.tellAgain(callback, after: link, of: call) }
    }
}

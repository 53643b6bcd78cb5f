import TangoPromise

/// An object that is told what comes of calls, instead of functions: see ``Request/start(on:lifetime:delegate:)``.
///
/// It is held weakly, so that whoever shows a result need not tell when it goes. After ``AnyCall/cancel()`` and
/// ``AnyCall/detach()`` it is told nothing any more.
public protocol CallDelegate: AnyObject, Sendable {
    /// The call succeeded, with an output of the request's type.
    func callSucceeded(_ call: AnyCall, with output: any Sendable)
    /// The call failed. Of one that was cancelled by ``AnyCall/cancel()`` nothing is told.
    func callFailed(_ call: AnyCall, with error: any Error)
}

extension Request {
    /// Begins a run that tells an object what comes of it, on a scheduler or where ``callbackScheduler`` says.
    @discardableResult
    public nonisolated final func start(
        on scheduler: Scheduler? = nil, lifetime: CallLifetime = .managed, delegate: any CallDelegate
    ) -> Call<Output> {
        let success: @Sendable (Output, Call<Output>) -> Void = { [weak delegate] output, call in
            delegate?.callSucceeded(call, with: output)
        }
        let failure: @Sendable (any Error, Call<Output>) -> Void = { [weak delegate] error, call in
            delegate?.callFailed(call, with: error)
        }
        return start(on: scheduler, lifetime: lifetime, success: success, failure: failure)
    }
}

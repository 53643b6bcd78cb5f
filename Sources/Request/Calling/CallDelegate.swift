import Dispatch
import Synchronization

/// An object on the main actor that follows calls: a view controller, a model of a screen.
///
/// ```swift
/// @MainActor final class FilmScreen: CallDelegate {
///     var status = ""
///
///     func load() { GetFilm().start().observe(on: .main, by: self) }
///
///     func callStarted(_ call: AnyCall) { status = "loading" }
///     func call(_ call: AnyCall, progressed progress: CallProgress) { status = "\(progress.received) bytes" }
///     func callSucceeded(_ call: AnyCall) { status = "done" }
///     func call(_ call: AnyCall, failedWith error: any Error) { status = "\(error)" }
///     func callCancelled(_ call: AnyCall) { status = "cancelled" }
/// }
/// ```
///
/// It follows one call by ``AnyCall/observe(on:by:)``, and by a ``DelegateObserver`` those of a request or a client. Nothing retains it.
/// All its functions are optional. It is notified in order: of the start, of the newest progress, and once of the end.
@MainActor
public protocol CallDelegate: AnyObject, Sendable {
    /// The call is about to be sent, or its response comes from the cache.
    func callStarted(_ call: AnyCall)
    /// Bytes were sent or received. Progress that has become old meanwhile is left out.
    func call(_ call: AnyCall, progressed progress: CallProgress)
    /// The call has an output.
    func callSucceeded(_ call: AnyCall)
    /// The call has an error.
    func call(_ call: AnyCall, failedWith error: any Error)
    /// The call was cancelled.
    func callCancelled(_ call: AnyCall)
}

extension CallDelegate {
    public func callStarted(_ call: AnyCall) {}
    public func call(_ call: AnyCall, progressed progress: CallProgress) {}
    public func callSucceeded(_ call: AnyCall) {}
    public func call(_ call: AnyCall, failedWith error: any Error) {}
    public func callCancelled(_ call: AnyCall) {}

    fileprivate func callEnded(_ call: AnyCall, _ state: FinishedState, _ error: (any Error)?) {
        switch state {
        case .success: callSucceeded(call)
        case .cancelled: callCancelled(call)
        case .failure, .duplicate: self.call(call, failedWith: error ?? CancellationError())
        }
    }
}

/// The observer that notifies a delegate on the main actor. It holds the delegate weakly.
///
/// ```swift
/// let watched = Client(baseURL: url) { $0.observers.append(DelegateObserver(screen)) }
/// ```
///
/// No call waits for the main actor. So a callback may run before the delegate was notified, unless it runs on the main actor too.
public final class DelegateObserver: CallObserver {
    private weak let delegate: (any CallDelegate)?
    /// The newest progress of each call of which the delegate was not notified yet.
    private let progress = Mutex<[UInt64: CallProgress]>([:])

    /// Creates an observer.
    public init(_ delegate: some CallDelegate) {
        self.delegate = delegate
    }

    public func observe(_ event: CallEvent) {
        let call = event.call
        switch event.kind {
        case .willStart: notify { $0.callStarted(call) }
        case .progress(let newest):
            let isNotified = progress.withLock { $0.updateValue(newest, forKey: call.id) != nil }
            if isNotified { return }
            DispatchQueue.main.async { [self] in
                let newest = progress.withLock { $0.removeValue(forKey: call.id) }
                MainActor.assumeIsolated { if let newest { delegate?.call(call, progressed: newest) } }
            }
        case .finished(let state, let error): notify { $0.callEnded(call, state, error) }
        default: break
        }
    }

    private func notify(_ body: @escaping @MainActor @Sendable (any CallDelegate) -> Void) {
        // The queue keeps the order, which tasks do not promise.
        DispatchQueue.main.async { [self] in
            MainActor.assumeIsolated { if let delegate { body(delegate) } }
        }
    }
}

extension AnyCall {
    /// Notifies a delegate of what happens to the call from now on, and of its end if it has ended. The delegate is not retained.
    ///
    /// A call that has started is reported as started first.
    public func observe(on main: MainScheduler, by delegate: some CallDelegate) {
        let call = AnyCall(core)  // not the handle, whose release may cancel the call
        core.seeError()
        Task { @MainActor [weak delegate] in
            for await state in call.states where state != .queued { break }
            delegate?.callStarted(call)
            for await progress in call.progress { delegate?.call(call, progressed: progress) }
            for await case .finished(let state) in call.states { delegate?.callEnded(call, state, call.error) }
        }
    }
}

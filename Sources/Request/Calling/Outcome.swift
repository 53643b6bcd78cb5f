import Synchronization

/// The deliveries of a call, and what waits for them: a promise, callbacks, followers.
///
/// The promise is made at its first use. So a call with callbacks alone makes none, and a failure that its callbacks handle is not
/// reported as unhandled.
///
/// A run delivers once, or twice if it serves a cached response and then a newer one. The promise has the first delivery;
/// callbacks and followers have both.
final class Outcome<Output: Sendable>: CallOutcome, @unchecked Sendable {
    // Unchecked: the lock guards the state. A `Mutex` of the state would look up its generic type at each use.

    /// The number of a delivery.
    enum Round: Sendable {
        case first, last
    }

    /// A callback, and whether it does something with an error.
    struct Callback: Sendable {
        let seesErrors: Bool
        /// Attaches the callback to the line, for one delivery.
        let attach: @Sendable (_ line: Promise<Void>, Handle, Round) -> Void
    }

    typealias Follower = AsyncThrowingStream<Output, any Error>.Continuation

    let scheduler: Scheduler
    private let lock = Mutex<Void>(())
    @exclusivity(unchecked) private var state = OutcomeState()

    /// The callbacks of a call. The lock of the outcome guards them.
    final class Callbacks: @unchecked Sendable {
        private(set) var all: [Callback]

        init(_ all: [Callback]) {
            self.all = all
        }

        func add(_ callback: Callback) {
            all.append(callback)
        }
    }

    init(scheduler: Scheduler) {
        self.scheduler = scheduler
    }

    func withState<Result>(_ body: (inout OutcomeState) -> Result) -> Result {
        lock.withLock { _ in body(&state) }
    }

    /// The types of the state, which only this class sets.
    func typed(_ promise: AnyPromise) -> Promise<Output> { unsafeDowncast(promise, to: Promise<Output>.self) }
    func typed(_ call: AnyCall) -> Call<Output> { unsafeDowncast(call, to: Call<Output>.self) }

    var isDetached: Bool { withState(\.isSilent) }

    var onlyPromise: AnyPromise? {
        withState { $0.line == nil && $0.audience == nil ? $0.promise ?? $0.unmanagedPromise : nil }
    }

    func loseHandle() -> Bool {
        let (body, isUseless) = withState { state in
            state.isHandleGone = true
            return (state.takeStreamed(), !state.isSilent && (!state.isDeliveredTwice || state.isOver))
        }
        withExtendedLifetime(body) {}
        return isUseless
    }

    // MARK: Deliveries

    func deliver(_ output: AnyOutput) -> Bool {
        let output = output.value(as: Output.self)
        var promise: AnyPromise?
        var followers: [Follower] = []
        let isOver = withState { state in
            guard !state.isOver else { return true }
            state.isDeliveredTwice = true
            promise = waiting(for: output, &state)
            if let audience = audience(of: state) { followers = audience.takeFirst() }
            return false
        }
        if isOver { return false }
        fulfil(promise, output)
        for follower in followers { follower.yield(output) }
        notifyCallbacks(isCancelled: false, isLast: false)
        return true
    }

    func deliverStreaming(_ output: AnyOutput) {
        let output = output.value(as: Output.self)
        var promise: AnyPromise?
        var followers: [Follower] = []
        let isOver = withState { state in
            guard !state.isOver else { return true }
            state.isDeliveredTwice = true
            state.isStreamed = true
            promise = waiting(for: output, &state)
            if let audience = audience(of: state) { followers = audience.takeAll() }
            return false
        }
        if isOver { return }
        fulfil(promise, output)
        for follower in followers {
            follower.yield(output)
            follower.finish()
        }
        notifyCallbacks(isCancelled: false, isLast: false)
        // The call holds its output for late consumers, so it must not hold itself until the body has ended.
        let (handle, body) = withState { state -> (AnyCall?, AnyPromise?) in
            // Without callbacks and without a handle, the output is for late consumers that cannot come.
            if state.isHandleGone, state.isSilent { return (nil, state.takeStreamed()) }
            guard let handle = replace(&state.managedCall, with: nil) else { return (nil, nil) }
            state.unmanagedCall = handle
            return (handle, nil)
        }
        withExtendedLifetime((handle, body)) {}
    }

    func settle(_ ending: Ending) {
        switch ending {
        case .output(let output, let isUnchanged): settle(output.value(as: Output.self), isUnchanged: isUnchanged)
        case .error(let error): settle(error)
        case .endOfBody:
            withState { $0.isOver = true }
            notifyCallbacks(isCancelled: false, isLast: true)
            releaseCallbacks()
        }
    }

    private func settle(_ output: Output, isUnchanged: Bool) {
        var promise: AnyPromise?
        var hasCallbacks = false
        let isAlone = withState { state in
            guard !state.isDeliveredTwice, state.audience == nil else { return false }
            state.isOver = true
            hasCallbacks = state.callbacks != nil
            promise = waiting(for: output, &state)
            return true
        }
        guard isAlone else { return settleWithAudience(output, isUnchanged: isUnchanged) }
        fulfil(promise, output)
        notifyCallbacks(isCancelled: false, isLast: true)
        if hasCallbacks { releaseCallbacks() }
    }

    private func settleWithAudience(_ output: Output, isUnchanged: Bool) {
        let (promise, followers, isSecond) = withState { state in
            let audience = attended(&state)
            state.isOver = true
            audience.isUnchanged = isUnchanged
            if state.isDeliveredTwice { audience.second = .fulfilled(output, on: scheduler) }
            let promise = state.isDeliveredTwice ? nil : waiting(for: output, &state)
            return (promise, audience.takeAll(), state.isDeliveredTwice)
        }
        fulfil(promise, output)
        for follower in followers {
            if !isUnchanged { follower.yield(output) }
            follower.finish()
        }
        if isSecond { notifyAgain() } else { notifyCallbacks(isCancelled: false, isLast: true) }
        releaseCallbacks()
    }

    private func settle(_ error: any Error) {
        let isCancelled = error is CancellationError
        var isHandled = false
        let (promise, followers, isSecond) = withState { state in
            state.isOver = true
            state.error = error
            if isCancelled { state.isSilent = true }
            let promise = state.promise ?? state.unmanagedPromise
            if !state.isDeliveredTwice { state.promise = nil }
            isHandled = state.isErrorSeen || state.isSilent
            return (promise, audience(of: state)?.takeAll() ?? [], state.isDeliveredTwice)
        }
        if !isSecond, let promise { typed(promise).settle(throwing: error, isHandled: isHandled) }
        for follower in followers { follower.finish(throwing: error) }
        if isSecond, !isCancelled { notifyAgain() } else { notifyCallbacks(isCancelled: isCancelled, isLast: true) }
        if isCancelled { releaseCallbacks() }
    }

    /// Returns the promise that waits for an output. If there is none, a fulfilled one is made.
    private func waiting(for output: Output, _ state: inout OutcomeState) -> AnyPromise? {
        if let promise = state.promise ?? state.unmanagedPromise {
            state.promise = promise
            return promise
        }
        state.promise = Promise<Output>.fulfilled(output, on: scheduler)
        return nil
    }

    private func fulfil(_ promise: AnyPromise?, _ output: Output) {
        // A promise whose consumers have left is cancelled, and cannot hold the output. Callbacks may still wait for it.
        guard let promise, !typed(promise).settle(output) else { return }
        let fulfilled = Promise<Output>.fulfilled(output, on: scheduler)
        withState { $0.promise = fulfilled }
    }

    // MARK: Callbacks

    /// Notifies what waits.
    private func notifyCallbacks(isCancelled: Bool, isLast: Bool) {
        var call: AnyCall?
        var audience: AnyObject?
        // Mostly nothing waits. The generic types of the rest are expensive, so the rest is apart.
        let isAwaited = withState { state in
            state.hasNotified = true
            call = state.managedCall
            audience = state.audience
            if isLast { state.managedCall = nil }
            return state.lineResolver != nil
        }
        if audience != nil { notifyAudience(isLast: isLast) }
        if isAwaited { settleLine(isCancelled: isCancelled) }
        withExtendedLifetime(call) {}
    }

    private func notifyAudience(isLast: Bool) {
        let (released, isFollowed) = withState { state in
            let audience = attended(&state)
            return (isLast ? replace(&audience.repeated, with: []) : [], audience.isFollowed)
        }
        withExtendedLifetime(released) {}
        if isFollowed { notifyLateFollowers() }
    }

    private func settleLine(isCancelled: Bool) {
        let resolver = withState { replace(&$0.lineResolver, with: nil) }
        if isCancelled { resolver?.reject(CancellationError()) } else { resolver?.fulfill() }
    }

    private func notifyLateFollowers() {
        guard let (output, followers, isOver, error) = withState({ takeLate(&$0) }) else { return }
        for follower in followers {
            follower.yield(output)
            if isOver { follower.finish(throwing: error) }
        }
    }

    /// Notifies the callbacks of the second delivery, after they have run for the first.
    private func notifyAgain() {
        // Another thread may be about to notify them of the first.
        notifyCallbacks(isCancelled: false, isLast: false)
        let (repeated, line, call) = withState { state in
            let audience = attended(&state)
            defer {
                audience.hasNotifiedAgain = true
                audience.repeated = []
                state.managedCall = nil
            }
            return (audience.repeated, state.line, state.managedCall)
        }
        guard let line else { return }
        let handle = Handle(outcome: self, managed: call.map(typed), callbacks: callbacks)
        for callback in repeated { callback.attach(line, handle, .last) }
    }

    func forgetCallbacks() {
        let forgotten = withState { state in
            state.isSilent = true
            return audience(of: state).map { replace(&$0.repeated, with: []) }
        }
        withExtendedLifetime(forgotten) {}  // released outside the lock: they may hold anything
        releaseCallbacks()
    }

    /// Releases the callbacks that have run. Those that still have to run hold themselves.
    private func releaseCallbacks() {
        let released = withState { state in
            state.releasedCallbacks = state.callbacks
            return replace(&state.callbacks, with: nil)
        }
        withExtendedLifetime(released) {}
    }
}

/// The state of an ``Outcome``, without its generic type, which would be looked up at each use of a variable.
struct OutcomeState {
    /// The handle of the call: held while the call is managed, or as long as the user holds it.
    var managedCall: AnyCall?
    weak var unmanagedCall: AnyCall?
    /// The promise, which keeps an unmanaged call. Once it is fulfilled, it holds the first output.
    var promise: AnyPromise?
    weak var unmanagedPromise: AnyPromise?
    var error: (any Error)?
    /// A Boolean value that indicates whether callbacks that are added find a delivery.
    var hasNotified = false
    var isOver = false
    /// The promise to which all callbacks are attached, for each delivery. So they run in one order, one at a time on a
    /// scheduler. Made for the first callback.
    var line: Promise<Void>?
    /// Settles the line with the first delivery. Before that, callbacks wait.
    var lineResolver: Resolver<Void>?
    /// The `Outcome.Callbacks`, for another call. After a success and after a cancellation, only those hold them that still have to run.
    var callbacks: AnyObject?
    weak var releasedCallbacks: AnyObject?
    /// A Boolean value that indicates whether no callback may run any more.
    var isSilent = false
    /// A Boolean value that indicates whether something handles an error: a callback, a reader of it, or another try.
    var isErrorSeen = false
    /// A Boolean value that indicates whether an error is not reported, though nothing handles it: the request has observers, or a
    /// promise reports it.
    var isObserved = false
    /// A Boolean value that indicates whether nothing holds the call any more.
    var isHandleGone = false
    /// A Boolean value that indicates whether an output was delivered while the run went on.
    var isDeliveredTwice = false
    /// A Boolean value that indicates whether the output is a streamed body. No second delivery follows it.
    var isStreamed = false
    /// The `Outcome.Audience`: the consumers of more than one delivery. Most calls have none.
    var audience: AnyObject?

    /// Removes and returns a streamed output.
    mutating func takeStreamed() -> AnyPromise? { isStreamed ? replace(&promise, with: nil) : nil }
}

/// The outcome of a call, as its run sees it. It takes what the run delivers, and never calls the run.
protocol CallOutcome: AnyObject, Sendable {
    /// A Boolean value that indicates whether the callbacks were released, and the call goes on without a handle.
    var isDetached: Bool { get }

    /// The promise that waits for an output, if neither callbacks nor followers do.
    var onlyPromise: AnyPromise? { get }

    /// Notes that nothing holds the call any more, and releases a streamed output, which only its reader holds from now on. Returns
    /// whether the call is of no use then: it was not detached, and has delivered nothing that it refreshes.
    func loseHandle() -> Bool

    /// Notes that the consumers of the promise have left. Returns whether neither callbacks nor followers wait for the call.
    func loseConsumers() -> Bool

    /// Delivers an output while the run goes on. Returns false if the outcome is settled.
    func deliver(_ output: AnyOutput) -> Bool

    /// Delivers the output of a response whose body is still arriving.
    func deliverStreaming(_ output: AnyOutput)

    /// Delivers the end of the run. Called once.
    func settle(_ ending: Ending)

    /// Returns the error that has to be reported, once: nothing holds the call, and nothing has seen the error.
    func takeUnseenError() -> (any Error)?

    /// Notes that something sees the error of the call, so that it is not reported.
    func seeError()

    /// Stops and releases the callbacks.
    func forgetCallbacks()
}

/// The end of a run.
enum Ending: Sendable {
    /// An output. If it is unchanged, an equal one was delivered before.
    case output(AnyOutput, isUnchanged: Bool)
    case error(any Error)
    /// The end of a streamed body, whose response was delivered before.
    case endOfBody
}

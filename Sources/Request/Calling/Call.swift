/// One run of a request, which ``Request/start(lifetime:)`` returns.
///
/// It can be cancelled, followed, and run again. Safe from any thread.
public final class Call<Output: Sendable>: AnyCall, @unchecked Sendable {
    // Unchecked, as its superclass: it is constant.

    let outcome: Outcome<Output>
    private let decoder: OutputDecoder<Output>

    private init(_ plan: Plan<Output>, lifetime: CallLifetime, owner: CallOwner? = nil) {
        outcome = Outcome(scheduler: plan.callbackScheduler)
        decoder = plan.decoder
        let (common, client) = (plan.common, plan.common.client)
        let (own, ofClient, global) = (common.observers, client.configuration.observers, GlobalObservers.all)
        if !own.isEmpty { outcome.withState { $0.isObserved = true } }
        let isObserved = !own.isEmpty || !ofClient.isEmpty || !global.isEmpty
        let events = isObserved ? CallEvents.of(own + ofClient + global, on: client.eventQueue) : nil
        super.init(
            CallCore(common, receiver: .call(decoder, outcome), lifetime: lifetime, owner: owner, events: events))
    }

    deinit {
        core.handleIsGone()
    }

    static func start(
        _ plan: Plan<Output>, lifetime: CallLifetime, owner: CallOwner? = nil,
        callbacks: [Outcome<Output>.Callback]? = nil
    ) -> Call {
        let call = Call(plan, lifetime: lifetime, owner: owner)
        if let callbacks { for callback in callbacks { call.outcome.add(callback, of: call) } }
        guard let owner else {
            call.start()
            return call
        }
        guard let object = owner.object else {
            call.core.cancel()
            return call
        }
        call.start()
        Owners.watch(object, for: call.core, isOnMain: owner.isOnMain)
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
    ///
    /// After a failure, the callbacks are held as long as this call. After a success or a cancellation they are released, and a
    /// new call has them only if it is started in one of them.
    @discardableResult
    public func retry() -> Call {
        outcome.seeError()
        return Call.start(
            Plan(common: core.plan, decoder: decoder, callbackScheduler: outcome.scheduler), lifetime: core.lifetime,
            owner: core.owner, callbacks: outcome.heldCallbacks)
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
        failure: (@Sendable (any Error, Call) -> Void)? = nil
    ) -> Call {
        then(on: outcome.scheduler, success: success, failure: failure)
    }

    /// Adds callbacks that run on a scheduler.
    @discardableResult
    public func then(
        on scheduler: Scheduler, success: @escaping @Sendable (Output, Call) -> Void,
        failure: (@Sendable (any Error, Call) -> Void)? = nil
    ) -> Call {
        add(seesErrors: failure != nil) { line, handle, round in
            line.next(on: scheduler) { _ -> Void in
                guard let call = handle.call else { return }
                switch call.outcome.result(of: round) {
                case .success(let value): success(value, call)
                case .failure(let error): failure?(error, call)
                case nil: break
                }
            }
        }
    }

    /// Adds callbacks that run on the main actor.
    @discardableResult
    public func then(
        on scheduler: MainScheduler, success: @escaping @MainActor (Output, Call) -> Void,
        failure: (@MainActor (any Error, Call) -> Void)? = nil
    ) -> Call {
        add(seesErrors: failure != nil) { line, handle, round in
            line.next(on: scheduler) { _ -> Void in
                guard let call = handle.call else { return }
                switch call.outcome.result(of: round) {
                case .success(let value): success(value, call)
                case .failure(let error): failure?(error, call)
                case nil: break
                }
            }
        }
    }

    private func add(
        seesErrors: Bool,
        _ attach: @escaping @Sendable (Promise<Void>, Outcome<Output>.Handle, Outcome<Output>.Round) -> Void
    ) -> Call {
        outcome.add(Outcome.Callback(seesErrors: seesErrors, attach: attach), of: self)
        return self
    }
}

/// One run of a request, without the type of its output. It can be listed, followed and cancelled.
///
/// Safe from any thread.
public class AnyCall: @unchecked Sendable, Identifiable {
    // Unchecked: it and its subclass are constant.

    package let core: CallCore

    init(_ core: CallCore) {
        self.core = core
    }

    /// A number that is unique within the process.
    public var id: UInt64 { core.id }

    /// The ``Request/identifier`` of the request; by default its method and path.
    public var name: String { core.plan.name }

    /// The tags of the request at the start of the call: see ``Client/cancelAll(tagged:)``.
    public var tags: Set<String> { core.plan.tags }

    /// The client that sends the request.
    public var client: Client { core.plan.client }

    /// The current state.
    public var state: CallState { core.phase }

    /// The current state, and each state that follows, to the last.
    public var states: AsyncStream<CallState> { core.states }

    /// The bytes sent and received: the current progress, and each that follows, until the end of the call.
    public var progress: AsyncStream<CallProgress> { core.followProgress() }

    /// The error with which the call has ended: that of a failure, or a `CancellationError`; nil before that, and after a success.
    /// Reading it handles it, as a callback does.
    public var error: (any Error)? {
        let error = core.error
        if error != nil { core.seeError() }
        return error
    }

    /// The response as it arrived; nil before that. A call that failed because of its response has it too.
    public var response: HTTPResponse? { core.response }

    /// The exchanges of the call with servers, in the order in which they began: none for a response from the cache, and
    /// several if a request was sent again.
    ///
    /// A background refresh that the call has caused is added after the call has ended. An ``EventStream`` that reconnects
    /// has its first attempt and the newest ones, a hundred in all. Their numbers count all attempts.
    public var attempts: [Attempt] { core.attempts }

    /// The times and sizes of the last attempt. All times of a cached response are nil.
    public var metrics: AttemptMetrics? { core.response?.metrics ?? core.attempts.last?.metrics }

    /// The decisions of the call about the cache, shared transfers, waits, redirects and retries, with their reasons; nil
    /// if there is nothing to explain.
    public var explanation: CallExplanation? {
        CallExplanation(
            core.explanation, core.attempts, waited: core.waitedTime, replacement: core.replacementWait,
            isReplaced: core.isReplaced, joined: core.joinedCall, isFailure: state == .finished(.failure))
    }

    /// The order in which the call is sent if it waits for the ``Limiter`` of its client. It can be changed meanwhile.
    public var priority: CallPriority {
        get { core.priority }
        set { core.setPriority(newValue) }
    }

    /// Values of the application that belong to this call.
    public var userInfo: CallInfo { CallInfo(core: core) }

    /// Ends the call: its promise is cancelled, and its callbacks do not run. Over HTTP/1.1 its connection is closed, over
    /// HTTP/2 its stream is reset.
    ///
    /// A call that has finished keeps its state and its output. Only callbacks that have not run yet are stopped, so
    /// that none runs after this function.
    public func cancel() {
        core.cancel()
        core.forgetCallbacks()
    }

    /// Releases the callbacks of the call. The call goes on, and releasing it does not cancel it.
    public func detach() {
        core.forgetCallbacks()
    }

    /// A Boolean value that indicates whether the call has ended.
    public var isFinished: Bool { state.isFinished }
}

/// The promise of an unmanaged call holds the handle.
extension AnyCall: PromiseWork {
    package var workName: String { core.workName }

    package func consumersLeft() {
        core.consumersLeft()
    }
}

extension AnyCall: CustomStringConvertible {
    /// Such as `call 7, GET /users/1, running`.
    public var description: String {
        "call \(id), \(name), \(state)"
    }
}

extension AnyCall: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: ["call": description]) }
}

extension AnyCall {
    /// The `curl` command that sends the newest request of the call, for a shell. Secrets are replaced by an ellipsis.
    public var curlCommand: String? { curlCommand(showingSecrets: false) }

    /// Returns the `curl` command that sends the newest request of the call, for a shell; nil if the request could not be
    /// made: see ``HTTPRequest/curlCommand(showingSecrets:)``.
    ///
    /// - Parameter showingSecrets: A Boolean value that indicates whether the command contains credentials.
    public func curlCommand(showingSecrets: Bool) -> String? {
        core.newestRequest?.curlCommand(showingSecrets: showingSecrets)
    }
}

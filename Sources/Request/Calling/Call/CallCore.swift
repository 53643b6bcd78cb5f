import Synchronization

/// One run of a request. The registry of its client holds it until it has finished.
///
/// It is composed of what it has: its plan, its receiver, its observers. A task carries it, or the transport itself if no
/// stage has anything to do with the request.
package final class CallCore: @unchecked Sendable {
    // Unchecked: everything is constant, or behind a lock. `entry` belongs to the registry.

    package let id: UInt64
    package let plan: CommonPlan
    let receiver: Receiver
    let lifetime: CallLifetime
    let owner: CallOwner?
    /// The time at which the run began; nil if nothing measures it.
    let began: Timestamp?
    var entry = CallRegistry.Entry()
    /// Made at the first use: a call that shares a transfer, or whose progress is not read, has none.
    private let lazyProgress = LazyReference<TransportProgress>()
    let events: (any EventListener)?
    /// The part of the run that belongs to the class of its request; nil for most.
    let part: (any CallPart)?
    let state = Mutex(State())

    /// The receiver of the response.
    enum Receiver: Sendable {
        /// The call of one request. The decoder makes the output, and the outcome delivers it.
        case call(any AnyOutputDecoder, any CallOutcome)
        /// The calls that share a transfer.
        case waiters(Waiters)
        /// Nothing: the run only reads the cache.
        case none
    }

    /// The variables of every call. Features, waits and readers that only some calls have are in ``values``.
    struct State {
        var phase = CallState.queued
        var work = CallWork.none
        var exchange = DirectExchange.none
        var line = LinePlace.ahead
        var request: HTTPRequest?
        var response: HTTPResponse?
        /// The log: see ``AnyCall/attempts``.
        var attempts: [Attempt] = []
        var explanation: CacheExplanation?
        /// The cached response that was delivered, in place of ``response``.
        var cached: CachedResponse?
        /// The state of the run in the cache. Most runs have none.
        var caching: CachingState?
        /// The number of the call whose transfer the run shares, or has shared.
        var joinedCall: UInt64?
        var deadline: Alarm?
        /// The time at which the run ended, if something measures it.
        var ended: Timestamp?
        /// The time that decoding took, if something measures it.
        var decoding: Duration?
        var values = TypedValues()

        /// The transfer that it shares, unless the log has that of the transfer.
        var unloggedFlight: Flight? {
            if case .flight(let flight, _, isLogged: false) = work { flight } else { nil }
        }

        /// Changes the phase. The caller delivers the returned states outside the lock.
        mutating func become(_ phase: CallState, for wait: CallWait? = nil) -> Broadcast<CallState>? {
            self.phase = phase
            guard wait != nil || !values.isEmpty else { return nil }
            values[CallWait.self] = wait
            let states = values[Followers.self]?.states
            states?.change { value in replace(&value, with: phase) != phase }
            return states
        }
    }

    /// The exchange of a run with the transport without a task.
    enum DirectExchange {
        case none
        /// The transport has the request. The slot is nil without a limiter, and the time if the request did not wait for it.
        case sent(number: Int, slot: LimitedServer?, queued: Duration?)
        /// The transport has completed the request, and no thread has taken the outcome yet.
        case completed(@Sendable () throws -> HTTPResponse, queued: Duration?)
    }

    /// The readers of the run.
    struct Followers {
        var states: Broadcast<CallState>?
        var progress: Broadcast<CallProgress>?
    }

    private static let lastID = Atomic<UInt64>(0)

    init(
        _ plan: CommonPlan, receiver: Receiver, lifetime: CallLifetime, owner: CallOwner? = nil,
        events: (any EventListener)?
    ) {
        id = Self.lastID.add(1, ordering: .relaxed).newValue
        self.plan = plan
        self.events = events
        part = plan.carrier == nil ? plan.feature?.part(of: plan.identity) : nil
        self.receiver = receiver
        self.lifetime = lifetime
        self.owner = owner
        began = events != nil || plan.client.meter != nil ? .now : nil
        events?.attach(to: self)
    }

    /// The counters of the transport.
    package var transportProgress: TransportProgress {
        lazyProgress.object { TransportProgress() }
    }

    // MARK: The run

    /// Begins, unless the client is shut down.
    func start() {
        guard plan.client.registry.enter(self) else {
            return fail(.shutDown, "the client was shut down: create a new client")
        }
        let total = plan.total
        if let total, total <= .zero {
            return fail(
                .totalTimedOut,
                "nothing was sent, because Timeouts.total is \(total.text): set more than zero, or nil for no limit")
        }
        guard plan.client.uniqueCalls.admit(self) else { return }
        if plan.needsBackgroundTime { BackgroundTimeEnd.begin(for: self) }
        begin()
        if let total, !phase.isFinished { startDeadline(total) }
    }

    /// Takes the first step of a call: reads the cache, or sends the request.
    private func begin() {
        if let cache { cache.begin() } else { sendRequest() }
    }

    /// The use that the run makes of the cache; nil if its policy does not use it.
    var cache: CallCache? { plan.cachePolicy.fetch == .networkOnly ? nil : CallCache(core: self) }

    /// Sends the request, together with other calls if it may share a transfer.
    ///
    /// - Parameters:
    ///   - message: The message, if it has been made.
    ///   - isPlanned: A Boolean value that indicates whether the message follows from the plan alone.
    func sendRequest(_ message: HTTPRequest? = nil, isPlanned: Bool = true) {
        var message = message
        do {
            guard plan.uniqueness == .join else { return try sendUnshared(message) }
            // A call that joins others needs no message, unless memory may have the response.
            if plan.decodingKey != nil, case .answer(let answer) = try shortcut(&message),
                cache?.take(answer) == true
            {
                return
            }
        } catch {
            return end(error, as: .failure)
        }
        plan.client.sharedTransfers.send(self, message, isPlanned: isPlanned)
    }

    /// Sends the request, or serves it from memory, without joining other calls.
    func sendUnshared(_ message: HTTPRequest?) throws {
        guard let cache, cache.needsMoment else { return try sendAlone(message) }
        carry { [self] in
            await LineExecutor.keepingPlace(of: self) { await cache.takeMoment() }
            do {
                try Task.checkCancellation()
                try sendAlone(message)
            } catch {
                arrive(.failure(error))
            }
        }
    }

    private func sendAlone(_ message: HTTPRequest?) throws {
        var message = message
        switch try shortcut(&message) {
        case .direct(let prepared): exchange(prepared, madeOf: message)
        case .answer(let answer): if cache?.take(answer) != true { runPipeline(message) }
        case .none: runPipeline(message)
        }
    }

    /// Returns the shortcut that the pipeline allows.
    ///
    /// - Parameter message: The message. It is made if a shortcut is possible.
    private func shortcut(_ message: inout HTTPRequest?) throws -> Pipeline.Shortcut {
        let pipeline = plan.client.pipeline
        guard pipeline.mayShorten(plan, isObserved: events?.isQuick == false) else { return .none }
        let request = try message ?? plan.message()
        message = request
        return pipeline.shortcut(for: request, of: plan)
    }

    /// Runs the whole pipeline in a task.
    func runPipeline(_ message: HTTPRequest?, firstOutcome: FirstOutcome? = nil) {
        carry { [self] in
            do {
                let response = try await fetch(message, firstOutcome)
                arrive(.success(response))
            } catch {
                arrive(.failure(error))
            }
        }
    }

    /// Carries the run on in a task.
    func carry(by work: @escaping @Sendable @isolated(any) () async -> Void) {
        let line = LineExecutor.of(self)
        // Made under the lock, so that work which the task sets is set after it.
        let old = state.withLock { state -> CallWork in
            guard !state.phase.isFinished else { return .none }
            if let line { state.line = .held(line) }
            return replace(&state.work, with: .task(Task(executorPreference: line, operation: work)))
        }
        withExtendedLifetime(old) {}
    }

    /// Cancels the work of the run, which goes on in another way because of an error. The attempt in flight ends with it.
    func stopWork(_ error: any Error) {
        let work = state.withLock { state in
            state.endLastAttempt(.failure(error))
            return replace(&state.work, with: .none)
        }
        logSharedAttempts(of: work, error)
        work.cancel()
    }

    /// Sets the work of the run. If the run has ended, the work is cancelled, and the function returns false.
    @discardableResult
    func carry(by work: CallWork) -> Bool {
        let (isFinished, old) = state.withLock { state in
            let isFinished = state.phase.isFinished
            return (isFinished, isFinished ? .none : replace(&state.work, with: work))
        }
        withExtendedLifetime(old) {}
        if isFinished { work.cancel() }
        return !isFinished
    }

    /// Returns the response of the pipeline.
    private func fetch(_ message: HTTPRequest?, _ firstOutcome: FirstOutcome?) async throws -> HTTPResponse {
        // If the call was cancelled meanwhile, its body is not encoded.
        try Task.checkCancellation()
        // The calls that share a transfer check theirs when they decode.
        if case .call = receiver { try plan.isolation?.check() }
        let request = try message ?? plan.message()
        withExtendedLifetime(state.withLock { replace(&$0.request, with: request) }) {}
        notify(.willStart(request))
        become(.running)
        await deliverEvents()
        let context = CallContext(core: self, options: options, firstOutcome: firstOutcome)
        let response = try await plan.client.pipeline.run(request, context: context)
        try Task.checkCancellation()
        return try await plan.admitted(response)
    }

    // MARK: From outside

    /// Cancels the run, unless it has ended. A run that has ended keeps its state, and its callbacks run.
    func cancel() {
        end(CancellationError(), as: .cancelled)
    }

    /// Releases the callbacks, also those of a run that has ended. None runs any more.
    func forgetCallbacks() {
        if case .call(_, let outcome) = receiver { outcome.forgetCallbacks() }
    }

    /// Notes that something sees the error of the call, so that it is not reported.
    func seeError() {
        if case .call(_, let outcome) = receiver { outcome.seeError() }
    }

    /// Cancels an unmanaged call whose handle was released, unless it has delivered an output and refreshes it, was detached, or
    /// its owner lives.
    func handleIsGone() {
        guard case .call(_, let outcome) = receiver else { return }
        if outcome.loseHandle(), lifetime != .managed, !phase.isFinished, owner?.mayLive != true { cancel() }
        reportUnseenError()
    }

    /// Reports the error of a call that nothing holds, as a promise that is rejected and released does. Called when either has happened.
    func reportUnseenError() {
        guard case .call(_, let outcome) = receiver, let error = outcome.takeUnseenError() else { return }
        _ = Promise<Void>.rejected(error, on: .immediate, origin: plan.origin)
    }
}

/// The object for which a call is made. Without it, the call is cancelled.
struct CallOwner: Sendable {
    weak let object: (AnyObject & Sendable)?
    /// A Boolean value that indicates whether the object belongs to the main actor.
    let isOnMain: Bool

    /// A Boolean value that indicates whether the object lives, or is not known to be gone. An object of the main actor is read there
    /// only, because the reader may be the last one that retains it.
    var mayLive: Bool { isOnMain && !Scheduler.isOnMainQueue || object != nil }
}

extension CallCore: OwnedWork {
    package var isOver: Bool { phase.isFinished }

    package func endWithoutOwner() {
        if case .call(_, let outcome) = receiver, outcome.isDetached { return }
        cancel()
    }
}

extension CallCore: PromiseWork {
    package var workName: String { plan.origin }

    package func consumersLeft() {
        if case .call(_, let outcome) = receiver, outcome.loseConsumers() { cancel() }
    }
}

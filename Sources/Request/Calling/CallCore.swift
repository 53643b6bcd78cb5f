import Synchronization

/// One run of a request. The registry of its client holds it until it has finished.
///
/// It is composed of what it has: its plan, its receiver, its observers. A task carries it, or the transport itself if no
/// stage has anything to do with the request.
package final class CallCore: @unchecked Sendable {
    // Unchecked: everything is constant, or behind a lock. `entry` belongs to the registry.

    let id: UInt64
    package let plan: CommonPlan
    let receiver: Receiver
    let lifetime: CallLifetime
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

    struct State {
        var phase = CallState.queued
        /// The reason for which the run waits, if it does.
        var wait: CallWait?
        /// A Boolean value that indicates whether callbacks may run.
        var callsBack = true
        var isDetached = false
        var work = Work.none
        /// The place in the line of the limiter; nil without a limiter, and after the first request has reached the line.
        var line: LineExecutor?
        var hasReachedLine = false
        /// The number of requests that were handed to the transport on the thread of the caller.
        var starts = 0
        var request: HTTPRequest?
        var response: HTTPResponse?
        var explanation: CacheExplanation?
        /// The log: see ``AnyCall/attempts``.
        var attempts: [Attempt] = []
        /// A Boolean value that indicates whether the log has that of the transfer that the run shares.
        var isFlightLogged = false
        /// The transfer that the run has shared, whose log goes on while it refreshes its response in the background.
        var sharedLog: SharedLog?
        /// The number of the call whose transfer the run shares.
        var joinedCall: UInt64?
        /// The time for which the run has waited for a network, in waits that are over.
        var connectivityWaits = Duration.zero
        /// The time since the beginning of the current wait for a network.
        var connectivityWait: (@Sendable () -> Duration)?
        /// The priority that was set after the start.
        var priority: CallPriority?
        /// The time for which the run was held before its next attempt, until it had credentials.
        var held: Duration?
        /// The reason for the next attempt, if the run says one.
        var cause: Attempt.Cause?
        /// The time at which the run ended, if something measures it.
        var ended: Timestamp?
        /// The time that decoding took, if something measures it.
        var decoding: Duration?
        /// The error that has ended a streamed call before its body.
        var bodyFailure: (any Error)?
        /// The cached response that was delivered, in place of ``response``.
        var cached: CachedResponse?
        /// The state of the run in the cache. Most runs have none.
        var caching: CachingState?
        var deadline: Task<Void, Never>?
        /// The time until the deadline.
        var remaining: (@Sendable () -> Duration)?
        /// Gives back the time to finish after the application has left the foreground.
        var endBackgroundTime: (@Sendable () -> Void)?
        var userInfo = UserInfo()
        /// Made at the first use.
        var states: Broadcast<CallState>?
        var progress: Broadcast<CallProgress>?

        /// Changes the phase. The caller delivers `states` outside the lock.
        mutating func become(_ phase: CallState, for wait: CallWait? = nil) {
            self.phase = phase
            self.wait = wait
            states?.change { value in
                value = phase
                return true
            }
        }
    }

    struct UserInfo {
        var values: [String: any Sendable] = [:]
        /// The number of changes so far.
        var version = 0
    }

    /// The carrier of the run.
    enum Work {
        case none
        case task(Task<Void, Never>)
        /// A transport that is being handed a request. The number is that of ``State/starts``.
        case starting(Int)
        case transport(TransportTask)
        /// A transfer that it shares with other calls, and its number there.
        case flight(Flight, number: Int)
        /// The body of a streamed call.
        case body(BodyStream)
        /// The request that reconnects the body of a streamed call.
        case reconnection(Task<HTTPResponse, any Error>)

        /// A Boolean value that indicates whether the run has delivered a streamed body.
        var isBody: Bool {
            switch self {
            case .body, .reconnection: true
            case .none, .task, .starting, .transport, .flight: false
            }
        }

        var flight: Flight? {
            if case .flight(let flight, _) = self { flight } else { nil }
        }

        /// The request that is sent, if only the shared transfer knows it.
        var request: HTTPRequest? {
            switch self {
            case .none, .task, .starting, .transport, .body, .reconnection: nil
            case .flight(let flight, _): flight.waiters.message
            }
        }

        func cancel() {
            switch self {
            case .none, .starting: break
            case .task(let task): task.cancel()
            case .transport(let task): task.cancel()
            case .flight(let flight, let number): flight.leave(number)
            case .body(let stream): stream.cancel()
            case .reconnection(let task): task.cancel()
            }
        }
    }

    private static let lastID = Atomic<UInt64>(0)

    init(
        _ plan: CommonPlan, receiver: Receiver, lifetime: CallLifetime, events: (any EventListener)?
    ) {
        id = Self.lastID.add(1, ordering: .relaxed).newValue
        self.plan = plan
        self.events = events
        part = plan.carrier == nil ? plan.feature?.part(of: plan.identity) : nil
        self.receiver = receiver
        self.lifetime = lifetime
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
                "nothing was sent, because Timeouts.total is \(total): set more than zero, or nil for no limit")
        }
        guard isAdmitted() else { return }
        beginBackgroundTime()
        begin()
        if let total, !phase.isFinished { startDeadline(total, on: plan.client.configuration.clock) }
    }

    /// Takes the first step: reads the cache, or sends the request. A shared transfer sends its request.
    private func begin() {
        if case .call(let decoder, let outcome) = receiver {
            if plan.cachePolicy.isDeclared { return beginWithCache(decoder, outcome) }
            if plan.isCacheFirst { return beginWithStale(decoder, outcome) }
        }
        sendRequest()
    }

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
            if plan.decodingKey != nil, case .answer(let answer) = try shortcut(&message), take(answer) { return }
        } catch {
            return end(error, as: .failure)
        }
        join(message, isPlanned: isPlanned)
    }

    /// Sends the request, or serves it from memory, without joining other calls.
    func sendUnshared(_ message: HTTPRequest?) throws {
        guard needsMoment else { return try sendAlone(message) }
        carry { [self] in
            await keepingPlace { await takeMoment() }
            do {
                try Task.checkCancellation()
                try sendAlone(message)
            } catch {
                arrive { throw error }
            }
        }
    }

    private func sendAlone(_ message: HTTPRequest?) throws {
        var message = message
        switch try shortcut(&message) {
        case .direct(let prepared): exchange(prepared, madeOf: message)
        case .answer(let answer): if !take(answer) { runPipeline(message) }
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
                arrive { response }
            } catch {
                arrive { throw error }
            }
        }
    }

    /// Carries the run on in a task.
    func carry(by work: @escaping @Sendable @isolated(any) () async -> Void) {
        let line = lineExecutor()
        // Made under the lock, so that work which the task sets is set after it.
        let old = state.withLock { state -> Work in
            guard !state.phase.isFinished else { return .none }
            guard let line else { return replace(&state.work, with: .task(Task(operation: work))) }
            state.line = line
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

    /// Waits for a transfer that it shares with other calls.
    func wait(for flight: Flight, number: Int) {
        let (isFinished, old, states, progress) = state.withLock { state in
            // If the transfer has ended meanwhile, something else carries the run.
            guard !state.phase.isFinished, flight.isWaiting(number) else {
                return (state.phase.isFinished, Work.none, Broadcast<CallState>?.none, Broadcast<CallProgress>?.none)
            }
            let replaced = replace(&state.work, with: .flight(flight, number: number))
            state.isFlightLogged = false
            state.become(.running)
            return (false, replaced, state.states, state.progress)
        }
        withExtendedLifetime(old) {}
        states?.deliver()
        if isFinished { flight.leave(number) }
        flight.core.raisePriority(to: priority)
        if let progress { follow(flight, progress) }
    }

    /// Sets the work of the run. If the run has ended, the work is cancelled, and the function returns false.
    @discardableResult
    func carry(by work: Work) -> Bool {
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
        try plan.check?()
        let request = try message ?? plan.message()
        withExtendedLifetime(state.withLock { replace(&$0.request, with: request) }) {}
        tell(.willStart(request))
        become(.running)
        await deliverEvents()
        let context = CallContext(core: self, options: options, firstOutcome: firstOutcome)
        let response = try await plan.client.pipeline.run(request, context: context)
        try Task.checkCancellation()
        return try await admitted(response)
    }

    var options: TransportOptions {
        var options = TransportOptions(
            timeouts: plan.timeouts, trust: plan.trust,
            decompression: plan.client.configuration.decompression, delivery: plan.delivery,
            progress: transportProgress)
        options.requestType = plan.requestType
        options.clock = plan.client.configuration.clock
        return options
    }

    // MARK: From outside

    /// Cancels the run, unless it has ended. A run that has ended keeps its state, and its callbacks run.
    func cancel() {
        end(CancellationError(), as: .cancelled)
    }

    /// Stops callbacks that have not run yet, also those of a run that has ended.
    func stopCallbacks() {
        state.withLock { $0.callsBack = false }
    }

    func detach() {
        state.withLock { state in
            state.isDetached = true
            state.callsBack = false
        }
        if case .call(_, let outcome) = receiver { outcome.forgetCallbacks() }
    }

    /// Cancels an unmanaged call whose handle was released, unless it has delivered an output and refreshes it.
    func handleIsGone() {
        if plan.delivery == .stream, case .call(_, let outcome) = receiver { outcome.releaseStream() }
        guard lifetime == .unmanaged, state.withLock({ !$0.phase.isFinished && !$0.isDetached }) else { return }
        if case .call(_, let outcome) = receiver, outcome.isRefreshing { return }
        cancel()
    }

    /// A Boolean value that indicates whether callbacks may run.
    var callsBack: Bool {
        state.withLock(\.callsBack)
    }
}

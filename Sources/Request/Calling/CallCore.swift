import Synchronization
import TangoCache
import TangoPromise

/// What a run is, whatever its output is. Its client keeps it until it has finished.
///
/// A run is carried by a task, or, where nothing of the user's stands between it and the network, by the transport itself.
class CallCore: @unchecked Sendable {
    // Unchecked, because it has a subclass: everything in both is constant, or behind a lock. `entry` belongs to the registry.

    final let id: UInt64
    final let plan: CommonPlan
    final let lifetime: CallLifetime
    final var entry = CallRegistry.Entry()
    /// Made when somebody asks for it: who shares a transfer, or needs none, has none.
    private let lazyProgress = AtomicLazyReference<TransportProgress>()
    let events: (any EventListener)?
    let state = Mutex(State())

    struct State {
        var phase = CallState.queued
        var isCancelled = false
        var isDetached = false
        var work = Work.none
        /// The number of requests that were handed to the transport on the thread of the caller.
        var starts = 0
        var request: HTTPRequest?
        var response: HTTPResponse?
        var explanation: CacheExplanation?
        /// The log: see ``AnyCall/attempts``.
        var attempts: [Attempt] = []
        /// A Boolean value that indicates whether the log has that of the transfer that the run shares.
        var isFlightLogged = false
        /// The reason for the next attempt, if the run says one.
        var cause: Attempt.Cause?
        /// Why a streamed call has ended before its body.
        var bodyFailure: (any Error)?
        /// What was there in place of a response.
        var kept: CachedResponse?
        var deadline: Task<Void, Never>?
        var userInfo = UserInfo()
        /// Made when somebody asks for them.
        var states: Broadcast<CallState>?
        var progress: Broadcast<CallProgress>?

        /// Changes the phase. Who calls delivers `states` outside of the lock.
        mutating func become(_ phase: CallState) {
            self.phase = phase
            states?.change { value in
                value = phase
                return true
            }
        }
    }

    struct UserInfo {
        var values: [String: any Sendable] = [:]
        /// How often they have changed.
        var version = 0
    }

    /// Who carries the run.
    enum Work {
        case none
        case task(Task<Void, Never>)
        /// A transport that is being handed a request. The number is that of ``State/starts``.
        case starting(Int)
        case transport(TransportTask)
        /// A transfer that it shares with others, and its place there.
        case flight(Flight, seat: Int)
        /// The body of a streamed call.
        case body(BodyStream)

        var isBody: Bool {
            if case .body = self { true } else { false }
        }

        var flight: Flight? {
            if case .flight(let flight, _) = self { flight } else { nil }
        }

        /// What is sent, where that is not known to the run itself.
        var request: HTTPRequest? {
            switch self {
            case .none, .task, .starting, .transport, .body: nil
            case .flight(let flight, _): flight.message
            }
        }

        func cancel() {
            switch self {
            case .none, .starting: break
            case .task(let task): task.cancel()
            case .transport(let task): task.cancel()
            case .flight(let flight, let seat): flight.leave(seat)
            case .body(let stream): stream.cancel()
            }
        }
    }

    private static let lastID = Atomic<UInt64>(0)

    init(_ plan: consuming CommonPlan, lifetime: CallLifetime, events: (any EventListener)?) {
        id = Self.lastID.add(1, ordering: .relaxed).newValue
        self.events = events
        self.plan = plan
        self.lifetime = lifetime
        events?.attach(to: self)
    }

    /// Where the transport notes what passes.
    final var transportProgress: TransportProgress {
        lazyProgress.load() ?? lazyProgress.storeIfNil(TransportProgress())
    }

    // MARK: What a run with an output adds

    /// Makes the output of the response, or fails with what kept it from coming.
    func arrive(_ response: () throws -> HTTPResponse) {}

    /// The same, where others want the same to be made of it.
    func arrive(_ response: () throws -> HTTPResponse, with others: ArraySlice<CallCore>) {}

    /// Ends the run with an error, whatever it is doing, unless it has ended.
    func end(_ error: any Error, as kind: FinishedState) {}

    /// Ends the run with the end of its streamed body.
    func endBody() {}

    /// Lets go of functions that will not run any more.
    func forgetCallbacks() {}

    /// Does what comes first.
    func begin() { ask() }

    /// Ends the run with a response in memory and its output. Returns false if the run cannot use them.
    func take(_ answer: MemoryResponse) -> Bool { false }

    /// Whether somebody has an answer, and the run goes on for a newer one.
    var isRefreshing: Bool { false }

    // MARK: The run

    /// Begins, unless the client is shut down.
    final func start() {
        guard plan.client.registry.enter(self) else {
            return fail(.shutDown, "the client was shut down")
        }
        let total = plan.timeouts.total
        if let total, total <= .zero {
            return fail(.totalTimedOut, "nothing was sent: Timeouts.total is \(total), and must be more than zero")
        }
        guard isAdmitted() else { return }
        begin()
        if let total, !phase.isFinished { startDeadline(total, on: plan.client.configuration.clock) }
    }

    /// Asks the server.
    ///
    /// - Parameters:
    ///   - message: The message, if it is there.
    ///   - isPlanned: Whether that is what follows from the plan, and nothing else.
    final func ask(_ message: HTTPRequest? = nil, isPlanned: Bool = true) {
        var message = message
        do {
            guard plan.uniqueness == .join else { return try askAlone(message) }
            // A call that joins others needs no message, unless memory may have the response.
            if plan.outputMaker != nil, case .answer(let answer) = try shortcut(&message), take(answer) { return }
        } catch {
            return end(error, as: .failure)
        }
        join(message, isPlanned: isPlanned)
    }

    /// Sends the request, or answers it from memory, without joining other calls.
    final func askAlone(_ message: HTTPRequest?) throws {
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
        guard pipeline.mayShorten(plan, isObserved: isObserved) else { return .none }
        let request = try message ?? plan.message()
        message = request
        return pipeline.shortcut(for: request, of: plan)
    }

    /// Has a task run the whole pipeline.
    final func runPipeline(_ message: HTTPRequest?, firstOutcome: FirstOutcome? = nil) {
        carry { [self] in
            do {
                let response = try await fetch(message, firstOutcome)
                arrive { response }
            } catch {
                arrive { throw error }
            }
        }
    }

    /// Has a task carry the run on.
    final func carry(by work: @escaping @Sendable @isolated(any) () async -> Void) {
        // Made under the lock, so that what the task hands the run to is noted after it.
        let old = state.withLock { state -> Work in
            guard !state.phase.isFinished else { return .none }
            return replace(&state.work, with: .task(Task(operation: work)))
        }
        withExtendedLifetime(old) {}
    }

    /// Lets go of whoever carries the run, because it has an end without that.
    final func stopWork() {
        let work = state.withLock { state in
            defer { state.work = .none }
            return state.work
        }
        work.cancel()
    }

    /// Waits for a transfer that it shares with others.
    final func wait(for flight: Flight, seat: Int) {
        let (isFinished, old, states, progress) = state.withLock { state in
            // It may have landed in between, and something else carries the run by now.
            guard !state.phase.isFinished, flight.isTaken(seat) else {
                return (state.phase.isFinished, Work.none, Broadcast<CallState>?.none, Broadcast<CallProgress>?.none)
            }
            let replaced = replace(&state.work, with: .flight(flight, seat: seat))
            state.isFlightLogged = false
            state.become(.running)
            return (false, replaced, state.states, state.progress)
        }
        withExtendedLifetime(old) {}
        states?.deliver()
        if isFinished { flight.leave(seat) }
        if let progress { follow(flight, progress) }
    }

    /// Notes who carries the run from here on. False, and that one is told to leave, if the run has ended.
    @discardableResult
    final func carry(by work: Work) -> Bool {
        let (isFinished, old) = state.withLock { state in
            let isFinished = state.phase.isFinished
            return (isFinished, isFinished ? .none : replace(&state.work, with: work))
        }
        withExtendedLifetime(old) {}
        if isFinished { work.cancel() }
        return !isFinished
    }

    // MARK: By a task

    /// The response that the server, or whoever stands before it, gives.
    private func fetch(_ message: HTTPRequest?, _ firstOutcome: FirstOutcome?) async throws -> HTTPResponse {
        // A call that was cancelled before its turn is not worth encoding its body.
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
        return response
    }

    final var options: TransportOptions {
        var timeouts = plan.timeouts
        timeouts.total = nil
        return TransportOptions(
            timeouts: timeouts, trust: plan.trust,
            decompression: plan.client.configuration.decompression, delivery: plan.delivery,
            progress: transportProgress)
    }

    // MARK: The end

    /// The deadline is fixed here and now, so that a clock that is advanced right after finds it.
    private func startDeadline(_ total: Duration, on clock: some Clock<Duration>) {
        // Clocks trap on what they cannot count.
        let instant = clock.now.advanced(by: min(total, .seconds(100 * 365 * 86_400)))
        let deadline = Task { [weak self] in
            do { try await clock.sleep(until: instant, tolerance: nil) } catch { return }
            self?.fail(.totalTimedOut, "the call did not finish within \(total)")
        }
        let isFinished = state.withLock { state in
            if !state.phase.isFinished { state.deadline = deadline }
            return state.phase.isFinished
        }
        if isFinished { deadline.cancel() }
    }

    /// Ends the run: the first to end it decides. Returns false if it has ended before.
    ///
    /// Who ends it settles what waits for it, and calls ``hasSettled()`` then.
    final func finish(_ kind: FinishedState, error: (any Error)?) -> Bool {
        let left = state.withLock {
            state -> (Work, Task<Void, Never>?, Broadcast<CallState>?, Broadcast<CallProgress>?)? in
            guard !state.phase.isFinished else { return nil }
            state.become(.finished(kind))
            state.isCancelled = state.isCancelled || kind == .cancelled
            if let error {
                state.endLastAttempt(.failure(error))
                if state.work.isBody { state.bodyFailure = error }
            }
            defer {
                state.work = .none
                state.deadline = nil
                state.states = nil
                state.progress = nil
            }
            return (state.work, state.deadline, state.states, state.progress)
        }
        guard let (work, deadline, states, progress) = left else { return false }
        if let error { logSharedAttempts(of: work, error) }
        // What carries the run has nothing left to do, unless it is what ends it.
        if kind != .success { work.cancel() }
        deadline?.cancel()
        states?.end()
        if let progress {
            let passed = (work.flight ?? self).transportProgress.snapshot
            progress.rise(to: passed.completed(by: response))
            progress.end()
        }
        tell(.finished(kind, error: error))
        if plan.uniqueness.isExclusive, let name = plan.uniqueName { plan.client.uniqueCalls.leave(self, as: name) }
        plan.client.registry.leave(self)
        return true
    }

    /// Called once everything that waits for the run has been settled.
    final func hasSettled() {
        Scheduler.runImmediate()
        plan.client.registry.settled()
    }

    /// Calls a function once the observers have heard of everything so far.
    final func afterEvents(_ work: @escaping @Sendable () -> Void) {
        if let events { events.afterEvents(work) } else { work() }
    }

    /// Returns once the observers have heard of everything so far.
    final func deliverEvents() async {
        if let events { await events.deliverAll() }
    }

    /// Ends the run with an error of ours.
    final func fail(_ code: RequestError.Code, _ detail: String) {
        var (request, response) = exchanged
        let isBody = state.withLock(\.work.isBody)
        // What was kept says nothing of what has failed.
        if response?.source.isCache == true { response = nil }
        let phase: RequestError.Phase =
            isBody ? .receive : response != nil ? .decode : request != nil ? .wait : .prepare
        end(RequestError(code, phase: phase, detail: detail, request: request, response: response), as: .failure)
    }

    /// An error with the request that it happened on, where whoever threw it did not say. Its response is kept.
    final func complete(_ error: any Error) -> any Error {
        guard var error = error as? RequestError else { return error }
        error.request = error.request ?? state.withLock(\.request)
        if let response = error.response { keep(response) }
        return error
    }

    final func cancel() {
        let isFinished = state.withLock { state in
            state.isCancelled = true
            return state.phase.isFinished
        }
        if !isFinished { end(CancellationError(), as: .cancelled) }
    }

    final func detach() {
        state.withLock { $0.isDetached = true }
        forgetCallbacks()
    }

    final func handleIsGone() {
        let isLeft = lifetime == .unmanaged && state.withLock { !$0.phase.isFinished && !$0.isDetached }
        if isLeft, !isRefreshing { cancel() }
    }

    /// Whether callbacks may run.
    final var callsBack: Bool {
        state.withLock { !$0.isCancelled && !$0.isDetached }
    }
}

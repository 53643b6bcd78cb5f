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
    private let events: CallEvents?
    private let state = Mutex(State())

    private struct State {
        var phase = CallState.queued
        var isCancelled = false
        var isDetached = false
        var work = Work.none
        var request: HTTPRequest?
        var response: HTTPResponse?
        var explanation: CacheExplanation?
        /// The requests that were sent, without their bodies, where a pipeline sent them.
        var sent: [HTTPRequest] = []
        /// What was there in place of a response.
        var kept: KeptResponse?
        var deadline: Task<Void, Never>?
        var userInfo: [String: any Sendable] = [:]
        /// Made when somebody asks for them.
        var states: Broadcast<CallState>?
        var progress: Broadcast<CallProgress>?

        mutating func become(_ phase: CallState) {
            self.phase = phase
            states?.update { value in
                value = phase
                return true
            }
        }
    }

    /// Who carries the run.
    private enum Work {
        case none
        case task(Task<Void, Never>)
        case exchange(any Exchange)
        /// A transfer that it shares with others, and its place there.
        case flight(Flight, seat: Int)

        var flight: Flight? {
            if case .flight(let flight, _) = self { flight } else { nil }
        }

        /// What is sent, where that is not known to the run itself.
        var request: HTTPRequest? {
            switch self {
            case .none, .task: nil
            case .exchange(let exchange): exchange.request
            case .flight(let flight, _): flight.message
            }
        }

        func cancel() {
            switch self {
            case .none: break
            case .task(let task): task.cancel()
            case .exchange(let exchange): exchange.leave()
            case .flight(let flight, let seat): flight.leave(seat)
            }
        }
    }

    private static let lastID = Atomic<UInt64>(0)

    init(_ plan: consuming CommonPlan, lifetime: CallLifetime, events: CallEvents?) {
        id = Self.lastID.add(1, ordering: .relaxed).newValue
        self.events = events
        self.plan = plan
        self.lifetime = lifetime
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

    /// Lets go of functions that will not run any more.
    func forgetCallbacks() {}

    /// Does what comes first.
    func begin() { ask() }

    /// Whether somebody has an answer, and the run goes on for a newer one.
    var isRefreshing: Bool { false }

    // MARK: The run

    /// Begins, unless the client is shut down.
    final func start() {
        guard plan.client.registry.enter(self) else {
            return fail(.shutDown, "the client was shut down")
        }
        guard isAdmitted() else { return }
        begin()
        if let total = plan.timeouts.total, !phase.isFinished { startDeadline(total, on: plan.client.clock) }
    }

    /// Asks the server.
    ///
    /// - Parameters:
    ///   - message: The message, if it is there.
    ///   - isPlanned: Whether that is what follows from the plan, and nothing else.
    final func ask(_ message: HTTPRequest? = nil, isPlanned: Bool = true) {
        if plan.uniqueness == .join { join(message, isPlanned: isPlanned) } else { askAlone(message) }
    }

    /// The same, whatever others of its kind do.
    final func askAlone(_ message: HTTPRequest?) {
        if let transport = directTransport { return send(message, by: transport) }
        carry { [self] in
            do {
                let response = try await fetch(message)
                arrive { response }
            } catch {
                arrive { throw error }
            }
        }
    }

    /// Has a task carry the run on.
    final func carry(by work: @escaping @Sendable @isolated(any) () async -> Void) {
        // Made under the lock, so that what the task hands the run to is noted after it.
        state.withLock { state in
            if !state.phase.isFinished { state.work = .task(Task(operation: work)) }
        }
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
        let progress = state.withLock { state -> Broadcast<CallProgress>?? in
            guard !state.phase.isFinished else { return nil }
            // It may have landed in between, and somebody else carries the run by now.
            guard flight.isTaken(seat) else { return .some(nil) }
            state.work = .flight(flight, seat: seat)
            state.become(.running)
            return .some(state.progress)
        }
        switch progress {
        case nil: flight.leave(seat)
        case .some(let broadcast?): follow(flight, broadcast)
        case .some(nil): break
        }
    }

    /// Notes who carries the run from here on. False, and that one is told to leave, if the run has ended.
    @discardableResult
    private func carry(by work: Work) -> Bool {
        let isFinished = state.withLock { state in
            if !state.phase.isFinished { state.work = work }
            return state.phase.isFinished
        }
        if isFinished { work.cancel() }
        return !isFinished
    }

    // MARK: By the transport

    /// The transport, if the request can be handed to it on the caller's thread: nothing of the user's runs before or
    /// after, and nothing has to be encoded. That saves a task, and a change of threads.
    private var directTransport: (any DirectTransport)? {
        guard events == nil, plan.isQuick, plan.delivery != .stream, !plan.passesHTTPCache else { return nil }
        return plan.client.pipeline.directTransport
    }

    private func send(_ message: HTTPRequest?, by transport: any DirectTransport) {
        do {
            let exchange = try transport.exchange(try message ?? plan.message(), options: options, for: self)
            if carry(by: .exchange(exchange)) {
                become(.running)
                exchange.start()
            }
        } catch {
            end(error, as: .failure)
        }
    }

    // MARK: By a task

    /// The response that the server, or whoever stands before it, gives.
    private func fetch(_ message: HTTPRequest?) async throws -> HTTPResponse {
        // A call that was cancelled before its turn is not worth encoding its body.
        try Task.checkCancellation()
        let request = try message ?? plan.message()
        state.withLock { $0.request = request }
        tell(.willStart(request))
        become(.running)
        let context = CallContext(core: self, options: options)
        let response = try await plan.client.pipeline.run(request, context: context)
        try Task.checkCancellation()
        return response
    }

    final var options: TransportOptions {
        var timeouts = plan.timeouts
        timeouts.total = nil
        var options = TransportOptions(
            timeouts: timeouts, trust: plan.trust,
            decompression: plan.client.decompresses ? Decompression() : nil, delivery: plan.delivery,
            progress: transportProgress)
        // Weakly: a body that is streamed is kept by its reader alone, and the transport keeps this function.
        if events != nil { options.onEvent = { [weak self] event in self?.heard(event) } }
        return options
    }

    // MARK: The end

    /// The deadline is fixed here and now, so that a clock that is advanced right after finds it.
    private func startDeadline(_ total: Duration, on clock: some Clock<Duration>) {
        // Clocks trap on what they cannot count.
        let instant = clock.now.advanced(by: min(total, .seconds(100 * 365 * 86_400)))
        let deadline = Task { [weak self] in
            do { try await clock.sleep(until: instant, tolerance: nil) } catch { return }
            self?.fail(.totalTimedOut, "it was not done within \(total)")
        }
        let isFinished = state.withLock { state in
            if !state.phase.isFinished { state.deadline = deadline }
            return state.phase.isFinished
        }
        if isFinished { deadline.cancel() }
    }

    /// Ends the run: the first who does decides. The function settles what waits for it.
    final func finish(_ kind: FinishedState, error: (any Error)?, settle: () -> Void) {
        let left = state.withLock {
            state -> (Work, Task<Void, Never>?, Broadcast<CallState>?, Broadcast<CallProgress>?)? in
            guard !state.phase.isFinished else { return nil }
            state.become(.finished(kind))
            state.isCancelled = state.isCancelled || kind == .cancelled
            defer {
                state.work = .none
                state.deadline = nil
                state.states = nil
                state.progress = nil
            }
            return (state.work, state.deadline, state.states, state.progress)
        }
        guard let (work, deadline, states, progress) = left else { return }
        // Whoever carries it has nothing left to do, unless somebody else ends the run.
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
        settle()
        Scheduler.runImmediate()
        plan.client.registry.settled()
    }

    /// Ends the run with an error of ours.
    final func fail(_ code: RequestError.Code, _ detail: String) {
        var (request, response) = exchanged
        // What was kept says nothing of what has failed.
        if response?.source.isCache == true { response = nil }
        let phase: RequestError.Phase = response != nil ? .decode : request != nil ? .wait : .prepare
        end(RequestError(code, phase: phase, detail: detail, request: request, response: response), as: .failure)
    }

    /// An error with the request that it happened on, where whoever threw it did not say. Its response is kept.
    final func complete(_ error: any Error) -> any Error {
        guard var error = error as? RequestError else { return error }
        state.withLock { state in
            error.request = error.request ?? state.request
            guard let response = error.response else { return }
            state.response = response
            state.kept = nil
        }
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

    // MARK: What others see

    final var phase: CallState { state.withLock(\.phase) }

    private func become(_ phase: CallState) {
        state.withLock { state in
            if !state.phase.isFinished { state.become(phase) }
        }
    }

    /// How far it has come, from now on.
    final var states: AsyncStream<CallState> {
        let (broadcast, isFinished) = state.withLock { state in
            let broadcast = state.states ?? Broadcast(state.phase, keepsAll: true)
            if !state.phase.isFinished { state.states = broadcast }
            return (broadcast, state.phase.isFinished)
        }
        if isFinished { broadcast.end() }
        return broadcast.values
    }

    final var response: HTTPResponse? {
        let (kept, response) = state.withLock { ($0.kept, $0.response) }
        return kept?.response(to: plan) ?? response
    }

    /// What was sent, and what came of that.
    final var exchanged: (request: HTTPRequest?, response: HTTPResponse?) {
        state.withLock { state in
            (state.request ?? state.work.request, state.response)
        }
    }

    /// The requests that were sent, without their bodies. None where the transport was given the message itself, which nothing
    /// could change.
    final var sent: [HTTPRequest] { state.withLock(\.sent) }

    final func noteSent(_ requests: [HTTPRequest]) {
        let heads = requests.map { HTTPRequest(method: $0.method, url: $0.url, headers: $0.headers) }
        state.withLock { $0.sent += heads }
    }

    /// Keeps what was there in place of a response.
    final func keep(_ kept: KeptResponse) {
        state.withLock { $0.kept = kept }
    }

    /// Whether anybody hears of what happens.
    final var isObserved: Bool { events != nil }

    /// What the observers make of an entry that is to be kept.
    final func willStore(_ entry: CacheEntry) -> CacheEntry? {
        guard let events else { return entry }
        return events.willStore(entry, of: self)
    }

    final var explanation: CacheExplanation? { state.withLock(\.explanation) }

    final func explain(_ explanation: CacheExplanation) {
        state.withLock { $0.explanation = explanation }
    }

    final func withUserInfo<Result>(_ body: (inout [String: any Sendable]) -> Result) -> Result {
        state.withLock { body(&$0.userInfo) }
    }

    /// Keeps the response. False if the run has ended, so that nothing need be made of it.
    final func keep(_ response: HTTPResponse) -> Bool {
        state.withLock { state in
            state.response = response
            state.kept = nil
            return !state.phase.isFinished
        }
    }

    final func received(_ response: HTTPResponse) {
        guard events != nil else { return }
        // What comes later was asked for in the background.
        state.withLock { state in
            if !state.phase.isFinished { state.response = response }
        }
        tell(.response(response))
    }

    /// Tells the observers. What is to be told is not even made where there are none.
    final func tell(_ kind: @autoclosure () -> CallEvent.Kind) {
        events?.tell(kind(), of: self)
    }

    private func heard(_ event: TransportEvent) {
        switch event {
        case .informational(let status, let headers): tell(.informational(status, headers))
        case .sent, .received: tell(.progress(transportProgress.snapshot))
        }
    }

    /// What has been sent and received, from now on.
    final func followProgress() -> AsyncStream<CallProgress> {
        let (broadcast, isNew, isFinished, flight) = state.withLock { state in
            let flight = state.work.flight
            let passed = (flight ?? self).transportProgress.snapshot.completed(by: state.response)
            let broadcast = state.progress ?? Broadcast(passed, keepsAll: false)
            defer { if !state.phase.isFinished { state.progress = broadcast } }
            return (broadcast, state.progress == nil, state.phase.isFinished, flight)
        }
        let values = broadcast.values
        if isFinished {
            broadcast.end()
        } else if isNew {
            follow(flight, broadcast)
        }
        return values
    }

    private func follow(_ flight: Flight?, _ broadcast: Broadcast<CallProgress>) {
        if let flight {
            Task { for await progress in flight.followProgress() { broadcast.rise(to: progress) } }
        } else {
            transportProgress.follow { progress in broadcast.rise(to: progress) }
            // What passed since it was looked at.
            broadcast.rise(to: transportProgress.snapshot)
        }
    }
}

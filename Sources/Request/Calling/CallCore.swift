import Synchronization
import TangoPromise

/// What a run is, whatever its output is. Its client keeps it until it has finished.
class CallCore: @unchecked Sendable {
    // Unchecked, because it has a subclass: everything in both is constant, or behind a lock.

    final let id: UInt64
    final let plan: CommonPlan
    final let lifetime: CallLifetime
    final let states = Broadcast(CallState.queued, keepsAll: true)
    final let transportProgress = TransportProgress()
    private let events: CallEvents?
    private let state = Mutex(State())

    private struct State {
        var isFinished = false
        var isCancelled = false
        var isDetached = false
        var request: HTTPRequest?
        var response: HTTPResponse?
        var userInfo: [String: any Sendable] = [:]
        var task: Task<Void, Never>?
        var deadline: Task<Void, Never>?
        var progress: Broadcast<CallProgress>?
    }

    private static let lastID = Atomic<UInt64>(0)

    init(_ plan: CommonPlan, lifetime: CallLifetime) {
        id = Self.lastID.add(1, ordering: .relaxed).newValue
        self.plan = plan
        self.lifetime = lifetime
        events = CallEvents(plan.observers + plan.client.observers + GlobalObservers.all)
    }

    // MARK: The run

    /// Ends the run with an error, whatever it is doing, unless it has ended.
    func end(_ error: any Error, as kind: FinishedState) {}

    /// Has a task do the work, unless the client is shut down.
    final func start(_ work: @escaping @Sendable @isolated(any) () async -> Void) {
        guard plan.client.registry.enter(self) else {
            return fail(.shutDown, "the client was shut down")
        }
        let task = task(work)
        let isFinished = state.withLock { state in
            if !state.isFinished { state.task = task }
            return state.isFinished
        }
        if isFinished { task.cancel() }
        if let total = plan.timeouts.total { startDeadline(total, on: plan.client.clock) }
    }

    /// A task, which begins on the thread that makes it where the request can go to the transport there: nothing of the
    /// user's runs before, and nothing has to be encoded. That saves a change of threads.
    private func task(_ work: @escaping @Sendable @isolated(any) () async -> Void) -> Task<Void, Never> {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *),
            events == nil, plan.isQuick, plan.client.pipeline.isBare
        {
            return Task.immediate(operation: work)
        }
        return Task(operation: work)
    }

    /// The response that the server, or whoever stands before it, gives.
    final func fetch() async throws -> HTTPResponse {
        // A call that was cancelled before its turn is not worth encoding its body.
        guard !state.withLock(\.isFinished) else { throw CancellationError() }
        let request = try plan.message()
        state.withLock { $0.request = request }
        tell(.willStart(request))
        states.update { state in
            state = .running
            return true
        }
        let client = plan.client
        var timeouts = plan.timeouts
        timeouts.total = nil
        var options = TransportOptions(
            timeouts: timeouts, trust: plan.trust, decompression: client.decompresses ? Decompression() : nil,
            delivery: plan.delivery, progress: transportProgress)
        // Weakly: a body that is streamed is kept by its reader alone, and the transport keeps this function.
        if events != nil { options.onEvent = { [weak self] event in self?.heard(event) } }
        let context = CallContext(call: AnyCall(self), options: options)
        let response = try await client.pipeline.run(request, context: context)
        state.withLock { $0.response = response }
        try Task.checkCancellation()
        return response
    }

    /// The deadline is fixed here and now, so that a clock that is advanced right after finds it.
    private func startDeadline(_ total: Duration, on clock: some Clock<Duration>) {
        // Clocks trap on what they cannot count.
        let instant = clock.now.advanced(by: min(total, .seconds(100 * 365 * 86_400)))
        let deadline = Task { [weak self] in
            do { try await clock.sleep(until: instant, tolerance: nil) } catch { return }
            self?.fail(.totalTimedOut, "it was not done within \(total)")
        }
        let isFinished = state.withLock { state in
            if !state.isFinished { state.deadline = deadline }
            return state.isFinished
        }
        if isFinished { deadline.cancel() }
    }

    /// Ends the run: the first who does decides. The function settles what waits for it.
    final func finish(_ kind: FinishedState, error: (any Error)?, settle: () -> Void) {
        let left = state.withLock { state -> State? in
            guard !state.isFinished else { return nil }
            state.isFinished = true
            state.isCancelled = state.isCancelled || kind == .cancelled
            defer {
                state.task = nil
                state.deadline = nil
                state.progress = nil
            }
            return state
        }
        guard let left else { return }
        // Its own task has nothing left to do, unless somebody else ends the run.
        if kind != .success { left.task?.cancel() }
        left.deadline?.cancel()
        states.update(ends: true) { state in
            state = .finished(kind)
            return true
        }
        if let progress = left.progress {
            progress.rise(to: transportProgress.snapshot)
            progress.end()
        }
        tell(.finished(kind, error: error))
        plan.client.registry.leave(self)
        settle()
        plan.client.registry.settled()
    }

    /// Ends the run with an error of ours.
    final func fail(_ code: RequestError.Code, _ detail: String) {
        let (request, response) = state.withLock { ($0.request, $0.response) }
        let phase: RequestError.Phase = response != nil ? .decode : request != nil ? .wait : .prepare
        end(RequestError(code, phase: phase, detail: detail, request: request, response: response), as: .failure)
    }

    /// An error with the request that it happened on, where whoever threw it did not say. Its response is kept.
    final func complete(_ error: any Error) -> any Error {
        guard var error = error as? RequestError else { return error }
        state.withLock { state in
            error.request = error.request ?? state.request
            state.response = error.response ?? state.response
        }
        return error
    }

    final func cancel() {
        let isFinished = state.withLock { state in
            state.isCancelled = true
            return state.isFinished
        }
        if !isFinished { end(CancellationError(), as: .cancelled) }
    }

    final func detach() {
        state.withLock { $0.isDetached = true }
        forgetCallbacks()
    }

    /// Lets go of functions that will not run any more.
    func forgetCallbacks() {}

    final func handleIsGone() {
        let isLeft = lifetime == .unmanaged && state.withLock { !$0.isFinished && !$0.isDetached }
        if isLeft { cancel() }
    }

    /// Whether callbacks may run.
    final var callsBack: Bool {
        state.withLock { !$0.isCancelled && !$0.isDetached }
    }

    // MARK: What others see

    final var response: HTTPResponse? { state.withLock(\.response) }

    final func withUserInfo<Result>(_ body: (inout [String: any Sendable]) -> Result) -> Result {
        state.withLock { body(&$0.userInfo) }
    }

    final func received(_ response: HTTPResponse) {
        guard events != nil else { return }
        state.withLock { $0.response = response }
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
        let (broadcast, isFinished) = state.withLock { state in
            let broadcast = state.progress ?? Broadcast(transportProgress.snapshot, keepsAll: false)
            if !state.isFinished { state.progress = broadcast }
            return (broadcast, state.isFinished)
        }
        let values = broadcast.values
        if isFinished {
            broadcast.end()
        } else {
            transportProgress.follow { progress in broadcast.rise(to: progress) }
            // What passed since it was looked at.
            broadcast.rise(to: transportProgress.snapshot)
        }
        return values
    }
}

extension Broadcast where Value == CallProgress {
    /// Takes a newer progress. Several threads bring it, so that an older one may come later.
    fileprivate func rise(to progress: CallProgress) {
        update { value in
            guard value != progress, progress.sent >= value.sent, progress.received >= value.received else {
                return false
            }
            value = progress
            return true
        }
    }
}

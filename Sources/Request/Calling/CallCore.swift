import Synchronization
import TangoPromise

/// What a run is, without its output and without those who look at it. Its client keeps it until it has finished.
final class CallCore: Sendable {
    let id: UInt64
    let plan: CommonPlan
    let lifetime: CallLifetime
    let states = Broadcast(CallState.queued, keepsAll: true)
    let transportProgress = TransportProgress()
    private let observers: [any CallObserver]
    private let state = Mutex(State())

    private struct State {
        var isFinished = false
        var isCancelled = false
        var isDetached = false
        var response: HTTPResponse?
        var userInfo: [String: any Sendable] = [:]
        var task: Task<Void, Never>?
        var deadline: Task<Void, Never>?
        /// Ends the run with an error, whatever it is doing.
        var end: (@Sendable (any Error, FinishedState) -> Void)?
        var progress: Broadcast<CallProgress>?
    }

    private static let lastID = Atomic<UInt64>(0)

    init(_ plan: CommonPlan, lifetime: CallLifetime) {
        id = Self.lastID.add(1, ordering: .relaxed).newValue
        self.plan = plan
        self.lifetime = lifetime
        observers = plan.observers + plan.client.observers + GlobalObservers.all
    }

    // MARK: The run

    func start<Output>(_ call: Call<Output>, serializer: Serializer<Output>, outcome: CallOutcome<Output>) {
        let handle = Handle(call, lifetime: lifetime)
        let end: @Sendable (any Error, FinishedState) -> Void = { [self] error, state in
            finish(state, .failure(error), handle: handle, outcome: outcome)
        }
        state.withLock { $0.end = end }
        guard plan.client.registry.enter(self) else {
            let error = RequestError(.shutDown, phase: .prepare, detail: "the client was shut down")
            return end(error, .failure)
        }
        let task = task { [self] in
            do {
                let output = try await run(serializer)
                finish(.success, .success(output), handle: handle, outcome: outcome)
            } catch {
                finish(
                    error is CancellationError ? .cancelled : .failure, .failure(error), handle: handle,
                    outcome: outcome)
            }
        }
        let isFinished = state.withLock { state in
            if !state.isFinished { state.task = task }
            return state.isFinished
        }
        if isFinished { task.cancel() }
        if let total = plan.timeouts.total { startDeadline(total, on: plan.client.clock) }
    }

    /// A task, which begins on the thread that makes it where the request can go to the transport there: nothing of the
    /// user's runs before, and nothing has to be encoded. That saves a change of threads.
    private func task(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *),
            observers.isEmpty, plan.isQuick, plan.client.pipeline.isBare
        {
            return Task.immediate { await work() }
        }
        return Task { await work() }
    }

    private func run<Output>(_ serializer: Serializer<Output>) async throws -> Output {
        let request: HTTPRequest
        do {
            request = try plan.message()
        } catch {
            tell(.willStart(nil))
            throw error
        }
        tell(.willStart(request))
        states.update { state in
            state = .running
            return true
        }
        let client = plan.client
        var timeouts = plan.timeouts
        timeouts.total = nil
        let hear: @Sendable (TransportEvent) -> Void = { [self] event in heard(event) }
        let options = TransportOptions(
            timeouts: timeouts, trust: plan.trust, decompression: client.decompresses ? Decompression() : nil,
            delivery: plan.delivery, onEvent: observers.isEmpty ? nil : hear, progress: transportProgress)
        let context = CallContext(call: AnyCall(self), options: options)
        let response = try await client.pipeline.run(request, context: context)
        state.withLock { $0.response = response }
        try Task.checkCancellation()
        let coding = SerializationContext(json: client.json)
        do {
            try plan.validation.check(response, context: coding)
            return try serializer.serialize(response, context: coding)
        } catch let error as RequestError {
            throw plan.errorSerializer?.refine(error, context: coding) ?? error
        }
    }

    private func startDeadline(_ total: Duration, on clock: any Clock<Duration>) {
        let deadline = Task { [weak self] in
            do { try await clock.sleep(for: total) } catch { return }
            self?.fail(
                RequestError(.totalTimedOut, phase: .wait, detail: "it was not done within \(total)"))
        }
        let isFinished = state.withLock { state in
            if !state.isFinished { state.deadline = deadline }
            return state.isFinished
        }
        if isFinished { deadline.cancel() }
    }

    /// Ends the run: the first who does decides.
    private func finish<Output>(
        _ kind: FinishedState, _ result: Result<Output, any Error>, handle: Handle<Output>, outcome: CallOutcome<Output>
    ) {
        let left = state.withLock { state -> State? in
            guard !state.isFinished else { return nil }
            state.isFinished = true
            state.isCancelled = state.isCancelled || kind == .cancelled
            defer {
                state.task = nil
                state.deadline = nil
                state.end = nil
                state.progress = nil
            }
            return state
        }
        guard let left else { return }
        left.task?.cancel()
        left.deadline?.cancel()
        var error: (any Error)?
        if case .failure(let failure) = result { error = failure }
        states.update(ends: true) { state in
            state = .finished(kind)
            return true
        }
        left.progress?.update { progress in
            progress = transportProgress.snapshot
            return true
        }
        left.progress?.end()
        tell(.finished(kind, error: error))
        plan.client.registry.leave(self)
        let call = handle.take()
        outcome.settle(result, call: call)
    }

    /// Ends the run with an error.
    func fail(_ error: any Error) {
        state.withLock(\.end)?(error, .failure)
    }

    func cancel() {
        let end = state.withLock { state in
            state.isCancelled = true
            return state.end
        }
        end?(CancellationError(), .cancelled)
    }

    func detach() {
        state.withLock { $0.isDetached = true }
    }

    func handleIsGone() {
        let isLeft = lifetime == .unmanaged && state.withLock { !$0.isFinished && !$0.isDetached }
        if isLeft { cancel() }
    }

    /// Whether callbacks may run.
    var callsBack: Bool {
        state.withLock { !$0.isCancelled && !$0.isDetached }
    }

    // MARK: What others see

    var response: HTTPResponse? { state.withLock(\.response) }

    var userInfo: [String: any Sendable] {
        get { state.withLock(\.userInfo) }
        set { state.withLock { $0.userInfo = newValue } }
    }

    func received(_ response: HTTPResponse) {
        state.withLock { $0.response = response }
        tell(.response(response))
    }

    /// Tells the observers, in the order of the calls here.
    func tell(_ kind: @autoclosure () -> CallEvent.Kind) {
        guard !observers.isEmpty else { return }
        let event = CallEvent(call: AnyCall(self), kind: kind())
        for observer in observers { observer.observe(event) }
    }

    private func heard(_ event: TransportEvent) {
        switch event {
        case .informational(let status, let headers): tell(.informational(status, headers))
        case .sent, .received: tell(.progress(transportProgress.snapshot))
        }
    }

    /// What has been sent and received, from now on.
    func followProgress() -> AsyncStream<CallProgress> {
        let (broadcast, isFinished) = state.withLock { state in
            let broadcast = state.progress ?? Broadcast(transportProgress.snapshot, keepsAll: false)
            if !state.isFinished { state.progress = broadcast }
            return (broadcast, state.isFinished)
        }
        let values = broadcast.values
        if isFinished {
            broadcast.end()
        } else {
            transportProgress.follow { progress in
                broadcast.update { value in
                    guard value != progress else { return false }
                    value = progress
                    return true
                }
            }
        }
        return values
    }
}

/// How a run reaches the call that looks at it: strongly, or as long as somebody else holds it.
private final class Handle<Output: Sendable>: Sendable {
    private struct Storage {
        var strong: Call<Output>?
        weak var weak: Call<Output>?
    }

    private let storage: Mutex<Storage>

    init(_ call: Call<Output>, lifetime: CallLifetime) {
        storage = Mutex(Storage(strong: lifetime == .managed ? call : nil, weak: call))
    }

    /// The call, which is let go of here.
    func take() -> Call<Output>? {
        storage.withLock { storage in
            defer { storage.strong = nil }
            return storage.strong ?? storage.weak
        }
    }
}

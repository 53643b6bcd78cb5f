import Dispatch

/// The executor of a call that is on its way to the line of a ``Limiter``.
///
/// The call has its place in the line from its start on. It keeps the place as long as it makes headway: while one of its
/// tasks runs or is about to run. If all of them are suspended, the call waits for something that the limiter does not
/// know. It then gives way, because it may wait for another call in the same line.
final class LineExecutor: TaskExecutor {
    private let limiter: Limiter
    let request: WaitingRequest

    init(_ limiter: Limiter, _ request: WaitingRequest) {
        self.limiter = limiter
        self.request = request
    }

    func enqueue(_ job: consuming ExecutorJob) {
        limiter.approach(request)
        let qos = Self.qos(of: job.priority)
        let job = UnownedJob(job)
        DispatchQueue.global(qos: qos).async { [self] in
            job.runSynchronously(on: asUnownedTaskExecutor())
            limiter.pause(request)
        }
    }

    private static func qos(of priority: JobPriority) -> DispatchQoS.QoSClass {
        switch priority.rawValue {
        case TaskPriority.high.rawValue...: .userInitiated
        case TaskPriority.medium.rawValue...: .default
        case TaskPriority.low.rawValue...: .utility
        default: .background
        }
    }

    /// Keeps the place while an async function runs that waits for no other call.
    func keepingPlace(_ work: () async -> Void) async {
        limiter.approach(request)
        await work()
        limiter.pause(request)
    }

    /// Leaves the line, because the call needs no slot.
    func leave() {
        limiter.withdraw(request)
    }

    /// Gives the place to another call.
    func assign(to call: UInt64) {
        limiter.assign(request, to: call)
    }
}

extension CallCore {
    /// Returns the executor that keeps the place of the run in the line of its limiter, before its first attempt.
    ///
    /// A run without a limiter has none.
    func lineExecutor() -> LineExecutor? {
        guard let limiter = plan.client.pipeline.limiter, limiter.problem == nil, plan.carrier == nil else {
            return nil
        }
        if case .none = receiver { return nil }
        let (present, isBeforeLine) = state.withLock { ($0.line, !$0.hasReachedLine) }
        if present != nil { return present }
        guard isBeforeLine, let address = plan.server else { return nil }
        return LineExecutor(limiter, limiter.expect(address, call: id, priority))
    }

    /// Takes the place of the run, whose request has reached the line. Later requests of the run have none.
    func takeLine() -> LineExecutor? {
        state.withLock { state in
            state.hasReachedLine = true
            return replace(&state.line, with: nil)
        }
    }

    /// Takes a slot of a limiter for the first request of the run, if one is free.
    func enter(_ limiter: Limiter, at address: ServerAddress) -> LimitedServer? {
        guard let line = state.withLock(\.line) else { return limiter.enter(address) }
        let server = limiter.claim(line.request, at: address)
        if server != nil { _ = takeLine() }
        return server
    }

    /// Takes the place of a call that has started this run.
    func takeLine(of call: CallCore) {
        guard let line = call.takeLine() else { return }
        line.assign(to: id)
        state.withLock { $0.line = line }
    }

    /// Runs an async function that waits for no other call, so that the run keeps its place in the line meanwhile.
    func keepingPlace(_ work: () async -> Void) async {
        let line = plan.client.pipeline.limiter == nil ? nil : state.withLock(\.line)
        if let line { await line.keepingPlace(work) } else { await work() }
    }
}

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

    /// Leaves the line, because the call needs no slot.
    func leave() {
        limiter.withdraw(request)
    }
}

/// The place of a run in the line of its limiter.
enum LinePlace {
    /// The first request of the run has not reached the line, or there is no limiter.
    case ahead
    case held(LineExecutor)
    /// Later requests of the run have no place.
    case passed
}

extension LineExecutor {
    /// Returns the executor that keeps the place of a run before its first attempt; nil without a limiter.
    static func of(_ core: CallCore) -> LineExecutor? {
        guard let limiter = core.plan.client.pipeline.limiter, limiter.problem == nil, core.plan.carrier == nil else {
            return nil
        }
        if case .none = core.receiver { return nil }
        switch core.state.withLock(\.line) {
        case .held(let present): return present
        case .passed: return nil
        case .ahead:
            guard let address = core.plan.server else { return nil }
            return LineExecutor(limiter, limiter.expect(address, call: core.id, core.priority))
        }
    }

    /// Takes the place of a run, whose request has reached the line.
    static func take(from core: CallCore) -> LineExecutor? {
        guard case .held(let line) = core.state.withLock({ replace(&$0.line, with: .passed) }) else { return nil }
        return line
    }

    /// Gives the place of a call to the run that it has started.
    static func pass(from call: CallCore, to core: CallCore) {
        guard let line = take(from: call) else { return }
        line.limiter.assign(line.request, to: core.id)
        core.state.withLock { $0.line = .held(line) }
    }

    /// Runs an async function that waits for no other call, so that a run keeps its place in the line meanwhile.
    static func keepingPlace(of core: CallCore, _ work: () async -> Void) async {
        guard core.plan.client.pipeline.limiter != nil, case .held(let line) = core.state.withLock(\.line) else {
            return await work()
        }
        line.limiter.approach(line.request)
        await work()
        line.limiter.pause(line.request)
    }
}

import Dispatch
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The concurrent scheduler: a queue of promises that have handlers to run, and as many workers as Dispatch finds
/// threads for. One worker serves a promise, so its handlers keep their order and never overlap.
///
/// While there is work, one more worker is always submitted to Dispatch. It starts when a core is free, or when the
/// others are blocked in a handler. Adding work behind it costs no dispatch. Promises that a handler makes ready are
/// shared when it returns.
final class Workers: Sendable {
    static let shared = Workers()

    fileprivate struct State {
        var busy = PromiseQueue<Busy>()
        var isStandingBy = false
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue.global()

    /// Adds a settled promise. Returns true if the caller must start a worker.
    func append(_ node: Node) -> Bool {
        state.withLock { state in
            state.busy.append(node)
            return state.needsWorker()
        }
    }

    /// Adds promises for the concurrent scheduler, and starts a worker if none is submitted.
    func append(contentsOf promises: inout PromiseQueue<Busy>) {
        let needsWorker = state.withLock { state in
            state.busy.append(contentsOf: &promises)
            return state.needsWorker()
        }
        if needsWorker { start() }
    }

    func start() {
        queue.async { self.work() }
    }

    private func work() {
        var drain = Drain(at: .background)
        withUnsafeMutablePointer(to: &drain) { drain in
            Drain.occupy(with: drain) {
                state.withLock { $0.isStandingBy = false }
                while let node = nextTurn(of: drain) {
                    drain.runTurn(of: node)
                }
            }
        }
    }

    /// Returns the promise to serve next: one that became ready here, otherwise the oldest in the queue. The other
    /// workers serve the rest.
    private func nextTurn(of drain: UnsafeMutablePointer<Drain>) -> Node? {
        let isSpent = drain.pointee.isSpent
        let own = isSpent ? nil : drain.pointee.busy.popFirst()
        if own != nil, drain.pointee.busy.isEmpty { return own }
        let (node, needsWorker) = state.withLock { state in
            state.busy.append(contentsOf: &drain.pointee.busy)
            let node = isSpent ? nil : own ?? state.busy.popFirst()
            return (node, state.needsWorker())
        }
        if needsWorker { start() }
        return node
    }
}

extension Workers.State {
    /// Returns whether a worker must be started so that one is submitted.
    fileprivate mutating func needsWorker() -> Bool {
        guard !busy.isEmpty, !isStandingBy else { return false }
        isStandingBy = true
        return true
    }
}

extension UnsafeMutablePointer<Drain> {
    /// Runs the handlers that a promise has for the concurrent scheduler.
    func runTurn(of node: Node) {
        let promise = node.takeRetainedValue()
        if promise.traits.contains(.job) {
            pointee.isRunningJob = true
            promise.sourceSettled(promise)
            pointee.isRunningJob = false
            return run()
        }
        while true {
            if pointee.isSpent {
                pointee.busy.append(Unmanaged.passRetained(promise))
                return
            }
            let link = promise.locked {
                let next = promise.consumers.popFirst()
                if next == nil { promise.marks.remove(.busy) }
                return next
            }
            guard let link else { return }
            // Promises that the previous handler has made ready need not wait for this one.
            if !pointee.busy.isEmpty { Workers.shared.append(contentsOf: &pointee.busy) }
            run(link)
            run()
        }
    }
}

/// Internal work for the concurrent scheduler.
private final class BackgroundJob: AnyPromise, @unchecked Sendable {
    // Unchecked: its one property is constant.
    private let work: @Sendable () -> Void

    init(_ work: @escaping @Sendable () -> Void) {
        self.work = work
        super.init(runningOn: .background, at: CreationSite(file: #fileID, line: #line))
        traits = .job
    }

    override func sourceSettled(_ source: consuming AnyPromise) {
        work()
    }
}

extension Scheduler {
    /// Runs a closure on ``background``. Handlers that it makes ready there run in the same pass, after it.
    package static func inBackground(_ work: @escaping @Sendable () -> Void) {
        // Not queued behind the handler that may be running here, which is unrelated.
        if Workers.shared.append(Unmanaged.passRetained(BackgroundJob(work))) { Workers.shared.start() }
    }

    /// Runs the last step of work, which mostly settles its promise: in the task that alone waits for the promise, or else on
    /// ``background``. So one thread is woken instead of two.
    ///
    /// The step may block. One task at a time runs such steps, so that the threads of tasks are not all blocked.
    package static func inBackground(settling promise: AnyPromise?, _ work: @escaping @Sendable () -> Void) {
        if let promise, mayUseTasks, !isTaskWorking.load(ordering: .relaxed),
            let consumer = promise.locked({ promise.consumers.only }),
            !isTaskWorking.exchange(true, ordering: .acquiring)
        {
            if consumer.runInWaitingTask(work) { return }
            isTaskWorking.store(false, ordering: .releasing)
        }
        inBackground(work)
    }

    private static let mayUseTasks = sysconf(Int32(_SC_NPROCESSORS_ONLN)) > 1
    private static let isTaskWorking = Atomic(false)

    /// Runs a step in the current task, as a worker does. Workers run the handlers that it makes ready on ``background``.
    static func runInTask(_ work: () -> Void) {
        var drain = Drain(at: .background)
        withUnsafeMutablePointer(to: &drain) { drain in
            Drain.occupy(with: drain) {
                drain.pointee.isRunningJob = true
                work()
                drain.pointee.isRunningJob = false
                drain.run()
                if !drain.pointee.busy.isEmpty { Workers.shared.append(contentsOf: &drain.pointee.busy) }
            }
        }
        isTaskWorking.store(false, ordering: .releasing)
    }

    /// Runs the `.immediate` handlers that a background job has made ready.
    package static func runImmediate() {
        Drain.current?.settled()
    }
}

import Dispatch
import Synchronization

/// The concurrent scheduler: promises that have handlers to run, taken up by as many workers as Dispatch finds threads
/// for. One promise is in the hands of one worker, so its handlers keep their order and never overlap.
///
/// While there is work, one more worker always stands by at Dispatch. It starts when a core is free, or when the others
/// are blocked in a handler; adding work behind it costs no dispatch. What a handler makes ready is shared when it returns.
final class Workers: Sendable {
    static let shared = Workers()

    fileprivate struct State {
        var line = Line<Busy>()
        var isStandingBy = false
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue.global()

    /// Adds a settled promise; true if the caller must start a worker.
    func append(_ node: Node) -> Bool {
        state.withLock { state in
            state.line.append(node)
            return state.needsWorker()
        }
    }

    /// Adds what is ready for the concurrent scheduler, and starts a worker if none stands by.
    func append(contentsOf line: inout Line<Busy>) {
        let needsWorker = state.withLock { state in
            state.line.append(contentsOf: &line)
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

    /// The promise to serve next: one that became ready here, else the oldest that waits. All others that became ready
    /// here are left to the other workers.
    private func nextTurn(of drain: UnsafeMutablePointer<Drain>) -> Node? {
        let isSpent = drain.pointee.isSpent
        let own = isSpent ? nil : drain.pointee.busy.popFirst()
        if own != nil, drain.pointee.busy.isEmpty { return own }
        let (node, needsWorker) = state.withLock { state in
            state.line.append(contentsOf: &drain.pointee.busy)
            let node = isSpent ? nil : own ?? state.line.popFirst()
            return (node, state.needsWorker())
        }
        if needsWorker { start() }
        return node
    }
}

extension Workers.State {
    /// Whether a worker must be started so that one stands by.
    fileprivate mutating func needsWorker() -> Bool {
        guard !line.isEmpty, !isStandingBy else { return false }
        isStandingBy = true
        return true
    }
}

extension UnsafeMutablePointer<Drain> {
    /// Runs the handlers that a promise has for the concurrent scheduler.
    func runTurn(of node: Node) {
        let promise = node.takeRetainedValue()
        if promise.traits.contains(.errand) {
            pointee.isOnErrand = true
            promise.told(of: promise)
            pointee.isOnErrand = false
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
            // What the handler before has made ready need not wait for this one.
            if !pointee.busy.isEmpty { Workers.shared.append(contentsOf: &pointee.busy) }
            run(link)
            run()
        }
    }
}

/// Work for the concurrent scheduler that is nobody's handler.
private final class Errand: AnyPromise, @unchecked Sendable {
    // Unchecked: its one property is constant.
    private let work: @Sendable () -> Void

    init(_ work: @escaping @Sendable () -> Void) {
        self.work = work
        super.init(runningOn: .background, at: CreationSite(file: #fileID, line: #line))
        traits = .errand
    }

    override func told(of source: consuming AnyPromise) {
        work()
    }
}

extension Scheduler {
    /// Does something on ``background``. What it makes ready for that runs in the same pass, after it.
    package static func inBackground(_ work: @escaping @Sendable () -> Void) {
        // Never behind the handler that may be running here, which has nothing to do with it.
        if Workers.shared.append(Unmanaged.passRetained(Errand(work))) { Workers.shared.start() }
    }

    /// Runs the `.immediate` handlers that an errand has made ready, as a call that settles a promise does elsewhere.
    package static func runImmediate() {
        Drain.current?.settled()
    }
}

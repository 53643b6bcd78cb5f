import Dispatch
import Synchronization

/// The queue of ready links of a serial scheduler. One pass at a time drains it, so handlers never overlap.
final class Lane: Sendable {
    private struct State {
        var ready = PromiseQueue<Ready>()
        /// A pass has been submitted or is running.
        var isActive = false
    }

    private let state = Mutex(State())
    private let submit: @Sendable (@escaping @Sendable () -> Void) -> Void
    /// The next of the lanes that one pass must start. Only the thread that made this lane active reads or writes it.
    nonisolated(unsafe) var nextToStart: Unmanaged<Lane>?

    init(submit: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        self.submit = submit
    }

    private convenience init(_ queue: DispatchQueue) {
        self.init { queue.async(execute: $0) }
    }

    static let main = Lane(.main)

    /// Returns the lane of a queue. There is one for each queue while it is in use.
    static func serving(_ queue: DispatchQueue) -> Lane {
        registry.withLock { registry in
            let id = ObjectIdentifier(queue)
            if let lane = registry.lanes[id] { return lane }
            let lane = Lane(queue)
            registry.lanes[id] = lane
            registry.tidy()
            return lane
        }
    }

    /// The lanes in use, by queue, and some that are no longer in use. (Weak references would make all reference
    /// counting of a lane several times slower.)
    private struct Registry {
        var lanes: [ObjectIdentifier: Lane] = [:]
        private var limit = 16

        /// Removes the lanes that are no longer in use, each time the number has doubled.
        mutating func tidy() {
            guard lanes.count > limit else { return }
            for id in Array(lanes.keys) where isKnownUniquelyReferenced(&lanes[id]) {
                lanes[id] = nil
            }
            limit = max(16, 2 * lanes.count)
        }
    }

    private static let registry = Mutex(Registry())

    /// Adds a link. Returns true if the caller must start a pass.
    func append(_ node: Node) -> Bool {
        state.withLock { state in
            state.ready.append(node)
            defer { state.isActive = true }
            return !state.isActive
        }
    }

    func start() {
        let pass = SubmittedPass(for: self)
        submit { pass.run() }
    }

    fileprivate func drain() {
        var drain = Drain(at: .lane(Unmanaged.passUnretained(self)))
        withUnsafeMutablePointer(to: &drain) { drain in
            Drain.occupy(with: drain) {
                while refill(drain) { drain.run() }
            }
        }
    }

    /// Fetches newly added links. Returns false if the pass ends, because none is left or its budget is used up.
    private func refill(_ drain: UnsafeMutablePointer<Drain>) -> Bool {
        let isSpent = drain.pointee.isSpent
        let hasMore = state.withLock { state in
            drain.pointee.ready.append(contentsOf: &state.ready)
            if isSpent { swap(&state.ready, &drain.pointee.ready) }
            state.isActive = !state.ready.isEmpty || !drain.pointee.ready.isEmpty
            return state.isActive
        }
        if hasMore, isSpent { start() }
        return hasMore && !isSpent
    }
}

/// One pass, as work for a scheduler of the user's. It runs once, however often it is called. If the scheduler discards
/// it, as a cancelled `OperationQueue` does, it runs in the background, because handlers must not be lost.
private final class SubmittedPass: Sendable {
    private let lane: Lane
    private let isDone = Atomic(false)

    init(for lane: Lane) {
        self.lane = lane
    }

    deinit {
        if !isDone.load(ordering: .relaxed) { DispatchQueue.global().async { [lane] in lane.drain() } }
    }

    func run() {
        if !isDone.exchange(true, ordering: .relaxed) { lane.drain() }
    }
}

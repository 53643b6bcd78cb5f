import Dispatch
import Synchronization

/// A serial scheduler's line of ready links, drained one pass at a time, so that its handlers never overlap.
final class Lane: Sendable {
    private struct State {
        var line = Line<Ready>()
        /// A pass has been submitted or is under way.
        var isActive = false
    }

    private let state = Mutex(State())
    private let submit: @Sendable (@escaping @Sendable () -> Void) -> Void
    /// The next of the lanes that one handing-over must start. Only who made this lane active touches it.
    nonisolated(unsafe) var nextToStart: Unmanaged<Lane>?

    init(submit: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        self.submit = submit
    }

    private convenience init(_ queue: DispatchQueue) {
        self.init { queue.async(execute: $0) }
    }

    static let main = Lane(.main)

    /// The one lane of a queue, as long as anybody uses it.
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

    /// Every lane in use, by its queue, and some that are not any more. (Weak references would make all counting of the
    /// lane several times as slow.)
    private struct Registry {
        var lanes: [ObjectIdentifier: Lane] = [:]
        private var limit = 16

        /// Forgets the lanes that nobody else holds, whenever the number has doubled.
        mutating func tidy() {
            guard lanes.count > limit else { return }
            for id in Array(lanes.keys) where isKnownUniquelyReferenced(&lanes[id]) {
                lanes[id] = nil
            }
            limit = max(16, 2 * lanes.count)
        }
    }

    private static let registry = Mutex(Registry())

    /// Adds a link; true if the caller must start a pass.
    func append(_ node: Node) -> Bool {
        state.withLock { state in
            state.line.append(node)
            defer { state.isActive = true }
            return !state.isActive
        }
    }

    func start() {
        let errand = Errand(for: self)
        submit { errand.run() }
    }

    fileprivate func drain() {
        var drain = Drain(at: .lane(Unmanaged.passUnretained(self)))
        withUnsafeMutablePointer(to: &drain) { drain in
            Drain.occupy(with: drain) {
                while refill(drain) { drain.run() }
            }
        }
    }

    /// Fetches what has come; false when this pass is over, because nothing is left or because it has had its share.
    private func refill(_ drain: UnsafeMutablePointer<Drain>) -> Bool {
        let isSpent = drain.pointee.isSpent
        let hasMore = state.withLock { state in
            drain.pointee.ready.append(contentsOf: &state.line)
            if isSpent { swap(&state.line, &drain.pointee.ready) }
            state.isActive = !state.line.isEmpty || !drain.pointee.ready.isEmpty
            return state.isActive
        }
        if hasMore, isSpent { start() }
        return hasMore && !isSpent
    }
}

/// One pass, as work for somebody else's queue. It runs once, however often it is called; and if it is thrown away, as
/// the operations of a cancelled queue are, it runs in the background instead, because handlers must not be lost.
private final class Errand: Sendable {
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

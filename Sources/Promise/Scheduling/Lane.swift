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
    nonisolated(unsafe) var nextToStart: Lane?

    init(of queue: DispatchQueue? = nil, submit: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        self.queue = queue.map(ObjectIdentifier.init)
        self.submit = submit
    }

    private convenience init(_ queue: DispatchQueue) {
        self.init(of: queue) { queue.async(execute: $0) }
    }

    static let main = Lane(.main)

    // MARK: One for each queue

    private final class Entry: Sendable {
        private weak let lane: Lane?

        init(_ lane: Lane) { self.lane = lane }

        var living: Lane? { lane }
    }

    private static let lanes = Mutex<[ObjectIdentifier: Entry]>([:])
    private let queue: ObjectIdentifier?

    /// The lane of a queue: the same while anybody uses it, so that a queue that is named twice is one scheduler.
    static func of(_ queue: DispatchQueue) -> Lane {
        lanes.withLock { lanes in
            if let lane = lanes[ObjectIdentifier(queue)]?.living { return lane }
            let lane = Lane(queue)
            lanes[ObjectIdentifier(queue)] = Entry(lane)
            return lane
        }
    }

    deinit {
        guard let queue else { return }
        // Another one may stand in its place already; it is let go of outside the lock.
        _ = Lane.lanes.withLock { lanes in
            if let successor = lanes[queue]?.living { return successor as Lane? }
            lanes[queue] = nil
            return nil
        }
    }

    // MARK: Passes

    /// Adds a link; true if the caller must start a pass.
    func append(_ node: Node) -> Bool {
        state.withLock { state in
            state.line.append(node)
            defer { state.isActive = true }
            return !state.isActive
        }
    }

    func start() {
        submit { self.drain() }
    }

    private func drain() {
        var drain = Drain(at: .lane(self))
        withUnsafeMutablePointer(to: &drain) { drain in
            Drain.occupy(with: drain) {
                while refill(drain) { drain.run() }
            }
        }
    }

    /// Fetches what has come; false when this pass is over, because nothing is left or because it has had its share.
    private func refill(_ drain: UnsafeMutablePointer<Drain>) -> Bool {
        let isSpent = drain.pointee.budget == 0
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

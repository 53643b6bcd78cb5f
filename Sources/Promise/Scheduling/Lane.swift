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

    /// The queue that this is the line of.
    private let queue: ObjectIdentifier?

    init(submit: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        self.submit = submit
        queue = nil
    }

    private init(_ queue: DispatchQueue) {
        submit = { queue.async(execute: $0) }
        self.queue = ObjectIdentifier(queue)
    }

    deinit {
        guard let queue else { return }
        Lane.lanes.withLock { lanes in
            if lanes[queue]?.id == ObjectIdentifier(self) { lanes[queue] = nil }
        }
    }

    static let main = Lane(.main)

    // MARK: One line for each queue

    private final class Entry: Sendable {
        weak let lane: Lane?
        let id: ObjectIdentifier

        init(_ lane: Lane) {
            self.lane = lane
            id = ObjectIdentifier(lane)
        }
    }

    private static let lanes = Mutex<[ObjectIdentifier: Entry]>([:])

    /// The line of a queue: the same each time while it is in use, so that handlers keep their order however often the
    /// queue is named.
    static func of(_ queue: DispatchQueue) -> Lane {
        lanes.withLock { lanes in
            let key = ObjectIdentifier(queue)
            if let lane = lanes[key]?.lane { return lane }
            let lane = Lane(queue)
            lanes[key] = Entry(lane)
            return lane
        }
    }

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

import Synchronization

/// Limits how many calls refresh an output that they have delivered from the cache. Further calls wait for their turn.
///
/// Calls that would share a transfer share one slot, because together they send one request.
final class RefreshLimiter: Sendable {
    /// A slot for a refresh. A call takes it before it sends the request, and leaves it when the call ends.
    final class Slot: Sendable {
        fileprivate let group: FlightKey?

        /// - Parameter group: The key of the calls that share the slot; nil for a slot of one call.
        init(sharedBy group: FlightKey?) {
            self.group = group
        }
    }

    /// Sends the request. Returns false if the output is not wanted any more; then the slot is free.
    typealias Start = @Sendable () -> Bool

    fileprivate enum Turn {
        case one(Start)
        case group(FlightKey)
    }

    fileprivate struct Group {
        /// The number of calls that refresh now.
        var members = 0
        var waiting: [Start] = []
    }

    fileprivate struct State {
        var free = RefreshLimiter.limit
        var turns = Queue<Turn>()
        /// The groups of calls that refresh, or wait for their turn.
        var groups: [FlightKey: Group] = [:]
        /// A Boolean value that indicates whether a thread is starting the calls whose turn it is.
        var isCalling = false
    }

    /// The highest number of slots that are taken at a time.
    static let limit = 16

    private let state = Mutex(State())

    /// Starts a refresh: at once, or when a slot is free.
    func take(_ slot: Slot, _ start: @escaping Start) {
        if state.withLock({ $0.enter(slot, start) }), !start() { leave(slot) }
    }

    /// Leaves a slot. If it is free now, the next calls start.
    func leave(_ slot: Slot) {
        let calls = state.withLock { state in
            guard state.leave(slot), !state.isCalling else { return false }
            state.isCalling = true
            return true
        }
        if calls { callNext() }
    }

    /// Starts waiting calls while slots are free. A call that ends at once frees its slot for the next iteration, not
    /// by recursion.
    private func callNext() {
        while let (slot, starts) = state.withLock({ $0.nextTurn() }) {
            for start in starts where !start() { leave(slot) }
        }
    }
}

extension RefreshLimiter.State {
    /// Takes a slot. Returns false if none is free; then the call waits.
    fileprivate mutating func enter(_ slot: RefreshLimiter.Slot, _ start: @escaping RefreshLimiter.Start) -> Bool {
        if let key = slot.group, let group = groups[key] {
            if group.members > 0 { groups[key]?.members += 1 } else { groups[key]?.waiting.append(start) }
            return group.members > 0
        }
        let isIn = free > 0
        if isIn { free -= 1 }
        if let key = slot.group {
            groups[key] = isIn ? RefreshLimiter.Group(members: 1) : RefreshLimiter.Group(waiting: [start])
            if !isIn { turns.append(.group(key)) }
        } else if !isIn {
            turns.append(.one(start))
        }
        return isIn
    }

    /// Returns true if a slot became free.
    fileprivate mutating func leave(_ slot: RefreshLimiter.Slot) -> Bool {
        if let key = slot.group {
            groups[key]?.members -= 1
            guard groups[key]?.members == 0 else { return false }
            groups[key] = nil
        }
        free += 1
        return true
    }

    /// Returns the calls whose turn it is, and the slot that they have from now on. Nil if no call waits, or if no
    /// slot is free.
    fileprivate mutating func nextTurn() -> (RefreshLimiter.Slot, [RefreshLimiter.Start])? {
        guard free > 0, let turn = turns.popFirst() else {
            isCalling = false
            return nil
        }
        free -= 1
        switch turn {
        case .one(let start): return (RefreshLimiter.Slot(sharedBy: nil), [start])
        case .group(let key):
            let starts = groups[key]?.waiting ?? []
            groups[key] = RefreshLimiter.Group(members: starts.count)
            return (RefreshLimiter.Slot(sharedBy: key), starts)
        }
    }
}

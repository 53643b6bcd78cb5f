import Synchronization

/// Limits how many calls refresh an output that they have delivered from the cache. Further calls wait for their turn.
///
/// Calls that would share a transfer share one place, because together they send one request.
final class RefreshPlaces: Sendable {
    /// A place for a refresh. A call takes it before it sends the request, and leaves it when the call ends.
    final class Place: Sendable {
        fileprivate let group: FlightKey?

        /// - Parameter group: The key of the calls that share the place; nil for a place of one call.
        init(sharedBy group: FlightKey?) {
            self.group = group
        }
    }

    /// Sends the request. Returns false if the output is not wanted any more; then the place is free.
    typealias Ask = @Sendable () -> Bool

    fileprivate enum Turn {
        case one(Ask)
        case group(FlightKey)
    }

    fileprivate struct Group {
        /// The number of calls that refresh now.
        var members = 0
        var waiting: [Ask] = []
    }

    fileprivate struct State {
        var free = RefreshPlaces.limit
        var turns = Queue<Turn>()
        /// The groups of calls that refresh, or wait for their turn.
        var groups: [FlightKey: Group] = [:]
        /// A Boolean value that indicates whether a thread is starting the calls whose turn it is.
        var isCalling = false
    }

    /// The highest number of places that are taken at a time.
    static let limit = 16

    private let state = Mutex(State())

    /// Starts a refresh: at once, or when a place is free.
    func take(_ place: Place, _ ask: @escaping Ask) {
        if state.withLock({ $0.enter(place, ask) }), !ask() { leave(place) }
    }

    /// Leaves a place. If it is free now, the next calls start.
    func leave(_ place: Place) {
        let calls = state.withLock { state in
            guard state.leave(place), !state.isCalling else { return false }
            state.isCalling = true
            return true
        }
        if calls { callNext() }
    }

    /// Starts waiting calls while places are free. A call that ends at once frees its place for the next iteration, not
    /// by recursion.
    private func callNext() {
        while let (place, asks) = state.withLock({ $0.nextTurn() }) {
            for ask in asks where !ask() { leave(place) }
        }
    }
}

extension RefreshPlaces.State {
    /// Takes a place. Returns false if none is free; then the call waits.
    fileprivate mutating func enter(_ place: RefreshPlaces.Place, _ ask: @escaping RefreshPlaces.Ask) -> Bool {
        if let key = place.group, let group = groups[key] {
            if group.members > 0 { groups[key]?.members += 1 } else { groups[key]?.waiting.append(ask) }
            return group.members > 0
        }
        let isIn = free > 0
        if isIn { free -= 1 }
        if let key = place.group {
            groups[key] = isIn ? RefreshPlaces.Group(members: 1) : RefreshPlaces.Group(waiting: [ask])
            if !isIn { turns.append(.group(key)) }
        } else if !isIn {
            turns.append(.one(ask))
        }
        return isIn
    }

    /// Returns true if a place became free.
    fileprivate mutating func leave(_ place: RefreshPlaces.Place) -> Bool {
        if let key = place.group {
            groups[key]?.members -= 1
            guard groups[key]?.members == 0 else { return false }
            groups[key] = nil
        }
        free += 1
        return true
    }

    /// Returns the calls whose turn it is, and the place that they have from now on. Nil if no call waits, or if no
    /// place is free.
    fileprivate mutating func nextTurn() -> (RefreshPlaces.Place, [RefreshPlaces.Ask])? {
        guard free > 0, let turn = turns.popFirst() else {
            isCalling = false
            return nil
        }
        free -= 1
        switch turn {
        case .one(let ask): return (RefreshPlaces.Place(sharedBy: nil), [ask])
        case .group(let key):
            let asks = groups[key]?.waiting ?? []
            groups[key] = RefreshPlaces.Group(members: asks.count)
            return (RefreshPlaces.Place(sharedBy: key), asks)
        }
    }
}

/// A first-in, first-out queue with operations in amortised constant time.
private struct Queue<Element> {
    private var newest: [Element] = []
    /// In reverse order: the first element is at the end.
    private var oldest: [Element] = []

    mutating func append(_ element: Element) {
        newest.append(element)
    }

    mutating func popFirst() -> Element? {
        if oldest.isEmpty {
            oldest = newest.reversed()
            newest = []
        }
        return oldest.popLast()
    }
}

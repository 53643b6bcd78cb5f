import Synchronization

/// The places of those who ask although they have an answer: so many do at a time, and the others wait for their turn.
///
/// Those who would share a transfer share a place, for together they cost the server no more than one of them.
final class RefreshPlaces: Sendable {
    /// Whoever asks takes it, and leaves it when that is done.
    final class Place: Sendable {
        fileprivate let group: FlightKey?

        /// - Parameter group: What those have in common who share it; nil for one's own.
        init(sharedBy group: FlightKey?) {
            self.group = group
        }
    }

    /// Asks, and returns whether it does: if it is not wanted any more, the place is free.
    typealias Ask = @Sendable () -> Bool

    fileprivate enum Turn {
        case one(Ask)
        case group(FlightKey)
    }

    fileprivate struct Group {
        /// How many ask.
        var members = 0
        var waiting: [Ask] = []
    }

    fileprivate struct State {
        var free = RefreshPlaces.limit
        var turns = Queue<Turn>()
        /// Those who ask, and those who wait to.
        var groups: [FlightKey: Group] = [:]
        /// Whether somebody has those ask whose turn it is.
        var isCalling = false
    }

    /// How many ask at a time.
    static let limit = 16

    private let state = Mutex(State())

    /// Has somebody ask: at once, or when others have done so.
    func take(_ place: Place, _ ask: @escaping Ask) {
        if state.withLock({ $0.enter(place, ask) }), !ask() { leave(place) }
    }

    /// Lets the next one ask, for one has done so.
    func leave(_ place: Place) {
        let calls = state.withLock { state in
            guard state.leave(place), !state.isCalling else { return false }
            state.isCalling = true
            return true
        }
        if calls { callNext() }
    }

    /// Has those ask for whom there is room. Who is done at once frees a place for the next round, and calls nobody.
    private func callNext() {
        while let (place, asks) = state.withLock({ $0.nextTurn() }) {
            for ask in asks where !ask() { leave(place) }
        }
    }
}

extension RefreshPlaces.State {
    /// Whether there is room for somebody. Whoever finds none waits.
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

    /// Whether there is room for somebody else now.
    fileprivate mutating func leave(_ place: RefreshPlaces.Place) -> Bool {
        if let key = place.group {
            groups[key]?.members -= 1
            guard groups[key]?.members == 0 else { return false }
            groups[key] = nil
        }
        free += 1
        return true
    }

    /// Those whose turn it is, and the place that they have from now on; nil where nobody waits, or there is no room.
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

/// First in, first out, each in constant time.
private struct Queue<Element> {
    private var newest: [Element] = []
    /// The first one last.
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

/// The requests that wait for a ``Limiter``, by server.
///
/// Requests that leave, or change their priority, stay in the heaps of their server until they come to the top, or until
/// they are most of a heap.
struct WaitingLine {
    struct Waiter {
        let server: ServerAddress
        /// The call of the request. An interceptor may send several requests for one call.
        let call: UInt64
        var priority: CallPriority
        let continuation: UnsafeContinuation<Void, any Error>
    }

    /// The requests for one server.
    private struct Line {
        var byPriority = Heap<Entry> { $0.isBefore($1) }
        var byPlace = Heap<Entry> { $0.place < $1.place }
        var count = 0

        var isMostlyObsolete: Bool { max(byPriority.count, byPlace.count) > 2 * count + 64 }

        mutating func append(_ entry: Entry) {
            byPriority.insert(entry)
            byPlace.insert(entry)
            count += 1
        }
    }

    private struct Entry {
        let place: Int
        let priority: CallPriority

        func isBefore(_ other: Entry) -> Bool {
            priority != other.priority ? priority > other.priority : place < other.place
        }
    }

    /// Every slot with this number goes to the request that came first.
    private static let turn = 8

    /// The requests, by their places.
    private var waiters: [Int: Waiter] = [:]
    private var placesOfCalls: [UInt64: [Int]] = [:]
    private var lines: [ServerAddress: Line] = [:]
    private var places = 0
    private var turns = 0

    var count: Int { waiters.count }

    /// Returns whether requests wait for a server.
    func contains(_ server: ServerAddress) -> Bool {
        !waiters.isEmpty && lines[server] != nil
    }

    /// Returns the number of requests that came before.
    mutating func takePlace() -> Int {
        places += 1
        return places - 1
    }

    mutating func append(_ waiter: Waiter, at place: Int) {
        waiters[place] = waiter
        placesOfCalls[waiter.call, default: []].append(place)
        let entry = Entry(place: place, priority: waiter.priority)
        lines[waiter.server, default: Line()].append(entry)
        removeObsolete(of: waiter.server)
    }

    /// Removes the obsolete entries of a server once they are most of a heap.
    private mutating func removeObsolete(of server: ServerAddress) {
        guard lines[server]?.isMostlyObsolete ?? false else { return }
        lines[server]?.byPriority.keep { [waiters] in waiters[$0.place]?.priority == $0.priority }
        lines[server]?.byPlace.keep { [waiters] in waiters[$0.place] != nil }
    }

    /// The number of entries in all heaps.
    var entryCount: Int { lines.values.reduce(0) { $0 + $1.byPriority.count + $1.byPlace.count } }

    mutating func remove(at place: Int) -> Waiter? {
        guard let waiter = waiters.removeValue(forKey: place) else { return nil }
        placesOfCalls[waiter.call]?.removeAll { $0 == place }
        if placesOfCalls[waiter.call]?.isEmpty ?? false { placesOfCalls[waiter.call] = nil }
        lines[waiter.server]?.count -= 1
        if lines[waiter.server]?.count == 0 { lines[waiter.server] = nil }
        return waiter
    }

    mutating func setPriority(_ priority: CallPriority, of call: UInt64) {
        for place in placesOfCalls[call] ?? [] {
            guard let waiter = waiters[place], waiter.priority != priority else { continue }
            waiters[place]?.priority = priority
            lines[waiter.server]?.byPriority.insert(Entry(place: place, priority: priority))
            removeObsolete(of: waiter.server)
        }
    }

    /// Removes the next request whose server has a slot.
    mutating func next(where hasSlot: (ServerAddress) -> Bool) -> Waiter? {
        guard !waiters.isEmpty else { return nil }
        let isTurnOfOldest = (turns + 1) % Self.turn == 0
        var next: Entry?
        for server in lines.keys where hasSlot(server) {
            guard let entry = first(of: server, isTurnOfOldest) else { continue }
            guard let other = next else {
                next = entry
                continue
            }
            if isTurnOfOldest ? entry.place < other.place : entry.isBefore(other) { next = entry }
        }
        guard let next else { return nil }
        turns += 1
        return remove(at: next.place)
    }

    /// Returns the first request of a server, and removes what is obsolete before it.
    private mutating func first(of server: ServerAddress, _ isTurnOfOldest: Bool) -> Entry? {
        while let entry = isTurnOfOldest ? lines[server]?.byPlace.first : lines[server]?.byPriority.first {
            if let waiter = waiters[entry.place], isTurnOfOldest || waiter.priority == entry.priority { return entry }
            if isTurnOfOldest { lines[server]?.byPlace.removeFirst() } else { lines[server]?.byPriority.removeFirst() }
        }
        return nil
    }
}

/// A binary heap: the first element is always the one that is before all others.
struct Heap<Element> {
    private var elements: [Element] = []
    private let isBefore: (Element, Element) -> Bool

    init(_ isBefore: @escaping (Element, Element) -> Bool) {
        self.isBefore = isBefore
    }

    var first: Element? { elements.first }
    var count: Int { elements.count }

    /// Removes all elements for which a condition does not hold.
    mutating func keep(_ isWanted: (Element) -> Bool) {
        let all = elements
        elements = []
        for element in all where isWanted(element) { insert(element) }
    }

    mutating func insert(_ element: Element) {
        elements.append(element)
        var child = elements.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard isBefore(elements[child], elements[parent]) else { return }
            elements.swapAt(child, parent)
            child = parent
        }
    }

    mutating func removeFirst() {
        guard elements.count > 1 else { return elements.removeAll() }
        elements.swapAt(0, elements.count - 1)
        elements.removeLast()
        var parent = 0
        while true {
            var first = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < elements.count {
                if isBefore(elements[child], elements[first]) { first = child }
            }
            guard first != parent else { return }
            elements.swapAt(parent, first)
            parent = first
        }
    }
}

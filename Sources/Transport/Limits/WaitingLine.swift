import Synchronization

/// Called when a request that has waited in the line of a ``Limiter`` has its slot, or is refused.
package typealias SlotCompletion = @Sendable (Result<Void, any Error>) -> Void

/// A request in the line of a ``Limiter``. It may get its place before it arrives: see ``LineExecutor``.
package final class WaitingRequest: @unchecked Sendable {
    // Unchecked: the lock of the limiter guards all that changes.

    package internal(set) var server: LimitedServer
    /// The call of the request. An interceptor may send several requests for one call.
    var call: UInt64
    fileprivate(set) var priority: CallPriority
    /// The number of steps of its call that run, or are about to run, before the request arrives.
    var steps = 0
    /// The index among the requests for which a slot is reserved until they arrive; nil without a slot.
    var reservation: Int?
    /// A Boolean value that indicates whether the request has its slot, or needs none any more.
    let isOver = Atomic(false)
    /// The number of requests that came before; nil before the request has a place.
    fileprivate var place: Int?
    var isInLine: Bool { indexes.byPlace != nil }
    /// A Boolean value that indicates whether the request has arrived in the line.
    var hasArrived: Bool { completion != nil }
    /// Nil before the request has arrived, and after it has left.
    fileprivate var completion: SlotCompletion?
    /// Another request of the same call in the line.
    fileprivate var next: WaitingRequest?
    fileprivate var indexes = Indexes()

    init(for server: LimitedServer, call: UInt64, _ priority: CallPriority) {
        self.server = server
        self.call = call
        self.priority = priority
    }
}

/// A server with the requests that have a slot of a ``Limiter``, or wait for one.
package final class LimitedServer: @unchecked Sendable {
    // Unchecked: the lock of the limiter guards all that changes.

    let address: ServerAddress
    /// The number of requests with a slot.
    fileprivate(set) var running = 0
    /// The requests in the line.
    fileprivate var requests = Ranking<WaitingRequest>()
    fileprivate var indexes = Indexes()

    init(_ address: ServerAddress) {
        self.address = address
    }

    var waiting: Int { requests.count }
    var isIdle: Bool { running == 0 && waiting == 0 }
}

/// The indexes of an object in the heaps of a ``Ranking``; nil while it is in none.
private struct Indexes {
    var byPriority: Int?
    var byPlace: Int?
}

/// An object that a line puts in order: a request, or a server by its first requests.
private protocol Ranked: AnyObject {
    var indexes: Indexes { get set }
    func isBefore(_ other: Self, byPlace: Bool) -> Bool
}

extension WaitingRequest: Ranked {
    func isBefore(_ other: WaitingRequest, byPlace: Bool) -> Bool {
        if !byPlace, priority != other.priority { return priority > other.priority }
        return place ?? .max < other.place ?? .max
    }
}

extension LimitedServer: Ranked {
    fileprivate func isBefore(_ other: LimitedServer, byPlace: Bool) -> Bool {
        guard let one = requests.first(byPlace: byPlace), let other = other.requests.first(byPlace: byPlace) else {
            return false
        }
        return one.isBefore(other, byPlace: byPlace)
    }
}

/// Objects in the two orders of a line: by priority, and by place alone.
private struct Ranking<Element: Ranked> {
    private var byPriority = Heap<Element>(
        { $0.isBefore($1, byPlace: false) }, setIndex: { $0.indexes.byPriority = $1 })
    private var byPlace = Heap<Element>(
        { $0.isBefore($1, byPlace: true) }, setIndex: { $0.indexes.byPlace = $1 })

    var count: Int { byPlace.count }

    func first(byPlace: Bool) -> Element? { byPlace ? self.byPlace.first : byPriority.first }

    /// Adds, moves or removes an object whose rank has changed.
    mutating func update(_ element: Element, isIncluded: Bool) {
        Self.update(&byPriority, element, at: element.indexes.byPriority, isIncluded)
        Self.update(&byPlace, element, at: element.indexes.byPlace, isIncluded)
    }

    private static func update(_ heap: inout Heap<Element>, _ element: Element, at index: Int?, _ isIncluded: Bool) {
        guard let index else {
            if isIncluded { heap.insert(element) }
            return
        }
        if isIncluded { heap.restore(at: index) } else { heap.remove(at: index) }
    }
}

/// The requests that wait for a ``Limiter``, in the order in which they get slots.
struct WaitingLine {
    /// Every slot with this number goes to the request that came first.
    private static let turn = 8

    /// The servers with requests in the line and a free slot.
    private var servers = Ranking<LimitedServer>()
    private var perHost: Int
    /// The requests of each call, as a list.
    private var requestsOfCalls: [UInt64: WaitingRequest] = [:]
    /// The number of requests that have arrived.
    private(set) var arrived = 0
    private var places = 0
    private var turns = 0

    /// - Parameter perHost: The highest number of requests of a server that have a slot.
    init(perHost: Int?) {
        self.perHost = perHost ?? .max
    }

    /// Changes the highest number of requests of a server that have a slot.
    mutating func setPerHost(_ perHost: Int?, of servers: some Sequence<LimitedServer>) {
        guard replace(&self.perHost, with: perHost ?? .max) != self.perHost else { return }
        for server in servers { update(server) }
    }

    func hasSlot(for server: LimitedServer) -> Bool { server.running < perHost }

    /// Changes the number of requests of a server that have a slot.
    mutating func changeRunning(of server: LimitedServer, by difference: Int) {
        server.running += difference
        update(server)
    }

    private mutating func update(_ server: LimitedServer) {
        servers.update(server, isIncluded: server.waiting > 0 && hasSlot(for: server))
    }

    private mutating func update(_ request: WaitingRequest, isIncluded: Bool = true) {
        request.server.requests.update(request, isIncluded: isIncluded)
        update(request.server)
    }

    /// Gives a request its place, unless it has one.
    mutating func number(_ request: WaitingRequest) {
        guard request.place == nil else { return }
        request.place = places
        places += 1
    }

    /// Adds a request. One that was in the line before returns to its place.
    ///
    /// - Parameter completion: Called when the request has its slot; nil if it is yet to arrive.
    mutating func append(_ request: WaitingRequest, _ completion: SlotCompletion?) {
        number(request)
        request.next = requestsOfCalls.updateValue(request, forKey: request.call)
        update(request)
        if let completion { arrive(request, completion) }
    }

    /// Notes that a request in the line has arrived.
    mutating func arrive(_ request: WaitingRequest, _ completion: @escaping SlotCompletion) {
        request.completion = completion
        arrived += 1
    }

    /// Removes a request, if it is in the line. Returns the completion of one that has arrived.
    @discardableResult
    mutating func remove(_ request: WaitingRequest) -> SlotCompletion? {
        guard request.isInLine else { return nil }
        update(request, isIncluded: false)
        if requestsOfCalls[request.call] === request {
            requestsOfCalls[request.call] = request.next
        } else {
            var other = requestsOfCalls[request.call]
            while let link = other, link.next !== request { other = link.next }
            other?.next = request.next
        }
        request.next = nil
        if request.hasArrived { arrived -= 1 }
        return replace(&request.completion, with: nil)
    }

    /// Removes the requests that have arrived, and returns their completions.
    mutating func removeArrived() -> [SlotCompletion] {
        var all: [WaitingRequest] = []
        for first in requestsOfCalls.values { all += sequence(first: first, next: \.next) }
        return all.filter(\.hasArrived).compactMap { request in
            request.isOver.store(true, ordering: .relaxed)
            return remove(request)
        }
    }

    /// Changes the priority of the requests of a call in the line.
    ///
    /// - Parameter isLeast: A Boolean value that indicates whether requests with a higher priority keep it.
    mutating func setPriority(_ priority: CallPriority, of call: UInt64, isLeast: Bool = false) {
        var next = requestsOfCalls[call]
        while let request = next {
            if !isLeast || request.priority < priority { setPriority(priority, of: request) }
            next = request.next
        }
    }

    /// Changes the priority of a request.
    mutating func setPriority(_ priority: CallPriority, of request: WaitingRequest) {
        guard request.priority != priority else { return }
        request.priority = priority
        if request.isInLine { update(request) }
    }

    /// Removes the next request of those for servers with a free slot. Its completion is nil if it is yet to arrive.
    mutating func next() -> (request: WaitingRequest, completion: SlotCompletion?)? {
        let isTurnOfOldest = (turns + 1) % Self.turn == 0
        let server = servers.first(byPlace: isTurnOfOldest)
        guard let request = server?.requests.first(byPlace: isTurnOfOldest) else { return nil }
        turns += 1
        return (request, remove(request))
    }
}

import Synchronization

/// A request in the line of a ``Limiter``. It may get its place before it arrives: see ``LineExecutor``.
package final class WaitingRequest: @unchecked Sendable {
    // Unchecked: the lock of the limiter guards all that changes.

    var server: LimitedServer
    /// The call of the request. An interceptor may send several requests for one call.
    var call: UInt64
    fileprivate(set) var priority: CallPriority
    /// The number of steps of its call that run, or are about to run, before the request arrives.
    var steps = 0
    /// A Boolean value that indicates whether a slot is reserved until the request arrives.
    var hasSlot = false
    /// A Boolean value that indicates whether the request has its slot, or needs none any more.
    let isOver = Atomic(false)
    /// The number of requests that came before; nil before the request has a place.
    fileprivate var place: Int?
    fileprivate(set) var isInLine = false
    /// A Boolean value that indicates whether the request has arrived in the line.
    var hasArrived: Bool { continuation != nil }
    /// Nil before the request has arrived, and after it has left.
    fileprivate var continuation: UnsafeContinuation<Void, any Error>?
    /// Another request of the same call in the line.
    fileprivate var next: WaitingRequest?
    /// The number of the newest entry in the heaps.
    fileprivate var entry = 0

    init(for server: LimitedServer, call: UInt64, _ priority: CallPriority) {
        self.server = server
        self.call = call
        self.priority = priority
    }
}

/// A server with the requests that have a slot of a ``Limiter``, or wait for one.
///
/// Requests that leave, or change their priority, stay in the heaps until they come to the top, or until they are most of
/// a heap.
package final class LimitedServer: @unchecked Sendable {
    // Unchecked: the lock of the limiter guards all that changes.

    private struct Entry {
        let request: WaitingRequest
        let number: Int
        let priority: CallPriority
        let place: Int

        init(_ request: WaitingRequest) {
            self.request = request
            number = request.entry
            priority = request.priority
            place = request.place ?? .max
        }

        /// False if the request has left, or has a newer entry.
        var isCurrent: Bool { request.isInLine && request.entry == number }

        func isBefore(_ other: Entry) -> Bool {
            priority != other.priority ? priority > other.priority : place < other.place
        }
    }

    let address: ServerAddress
    /// The number of requests with a slot.
    var running = 0
    /// The number of requests in the line.
    private(set) var waiting = 0
    private var byPriority = Heap<Entry> { $0.isBefore($1) }
    private var byPlace = Heap<Entry> { $0.place < $1.place }

    init(_ address: ServerAddress) {
        self.address = address
    }

    var isIdle: Bool { running == 0 && waiting == 0 }
    /// The number of entries in both heaps.
    var entryCount: Int { byPriority.count + byPlace.count }

    fileprivate func append(_ request: WaitingRequest) {
        waiting += 1
        noteChange(of: request)
    }

    /// Takes the priority of a request in the line.
    fileprivate func noteChange(of request: WaitingRequest) {
        request.entry += 1
        byPriority.insert(Entry(request))
        byPlace.insert(Entry(request))
        let most = 2 * waiting + 64
        if byPriority.count > most { byPriority.keep(\.isCurrent) }
        if byPlace.count > most { byPlace.keep(\.isCurrent) }
    }

    fileprivate func noteRemoval() {
        waiting -= 1
        guard waiting == 0 else { return }
        byPriority.keep { _ in false }
        byPlace.keep { _ in false }
    }

    /// Returns the request with the highest priority, and removes what is obsolete before it.
    fileprivate func firstByPriority() -> WaitingRequest? { Self.first(of: &byPriority) }

    /// Returns the request that came first, and removes what is obsolete before it.
    fileprivate func firstByPlace() -> WaitingRequest? { Self.first(of: &byPlace) }

    private static func first(of heap: inout Heap<Entry>) -> WaitingRequest? {
        while let entry = heap.first {
            if entry.isCurrent { return entry.request }
            heap.removeFirst()
        }
        return nil
    }
}

/// The requests that wait for a ``Limiter``, in the order in which they get slots.
struct WaitingLine {
    /// Every slot with this number goes to the request that came first.
    private static let turn = 8

    /// The requests of each call, as a list.
    private var requestsOfCalls: [UInt64: WaitingRequest] = [:]
    /// The number of requests in the line.
    private(set) var count = 0
    /// The number of those that have arrived.
    private(set) var arrived = 0
    private var places = 0
    private var turns = 0

    /// Gives a request its place, unless it has one.
    mutating func number(_ request: WaitingRequest) {
        guard request.place == nil else { return }
        request.place = places
        places += 1
    }

    /// Adds a request. One that was in the line before returns to its place.
    ///
    /// - Parameter continuation: The function that is called when the request has its slot; nil if it is yet to arrive.
    mutating func append(_ request: WaitingRequest, _ continuation: UnsafeContinuation<Void, any Error>?) {
        number(request)
        request.isInLine = true
        request.next = requestsOfCalls.updateValue(request, forKey: request.call)
        count += 1
        request.server.append(request)
        if let continuation { arrive(request, continuation) }
    }

    /// Notes that a request in the line has arrived.
    mutating func arrive(_ request: WaitingRequest, _ continuation: UnsafeContinuation<Void, any Error>) {
        request.continuation = continuation
        arrived += 1
    }

    /// Removes a request, if it is in the line. Returns the continuation of one that has arrived.
    @discardableResult
    mutating func remove(_ request: WaitingRequest) -> UnsafeContinuation<Void, any Error>? {
        guard request.isInLine else { return nil }
        request.isInLine = false
        count -= 1
        request.server.noteRemoval()
        if requestsOfCalls[request.call] === request {
            requestsOfCalls[request.call] = request.next
        } else {
            var other = requestsOfCalls[request.call]
            while let link = other, link.next !== request { other = link.next }
            other?.next = request.next
        }
        request.next = nil
        if request.continuation != nil { arrived -= 1 }
        return replace(&request.continuation, with: nil)
    }

    /// Removes the requests that have arrived, and returns their continuations.
    mutating func removeArrived() -> [UnsafeContinuation<Void, any Error>] {
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
    func setPriority(_ priority: CallPriority, of call: UInt64, isLeast: Bool = false) {
        var next = requestsOfCalls[call]
        while let request = next {
            if !isLeast || request.priority < priority { setPriority(priority, of: request) }
            next = request.next
        }
    }

    /// Changes the priority of a request.
    func setPriority(_ priority: CallPriority, of request: WaitingRequest) {
        guard request.priority != priority else { return }
        request.priority = priority
        if request.isInLine { request.server.noteChange(of: request) }
    }

    /// Removes the next request, of those for some servers. Its continuation is nil if it is yet to arrive.
    mutating func next(
        of servers: some Sequence<LimitedServer>
    ) -> (request: WaitingRequest, continuation: UnsafeContinuation<Void, any Error>?)? {
        guard count > 0 else { return nil }
        let isTurnOfOldest = (turns + 1) % Self.turn == 0
        var next: WaitingRequest?
        for server in servers where server.waiting > 0 {
            guard let request = isTurnOfOldest ? server.firstByPlace() : server.firstByPriority() else { continue }
            if next.map({ request.isBefore($0, byPlace: isTurnOfOldest) }) ?? true { next = request }
        }
        guard let next else { return nil }
        turns += 1
        return (next, remove(next))
    }
}

extension WaitingRequest {
    fileprivate func isBefore(_ other: WaitingRequest, byPlace: Bool) -> Bool {
        if !byPlace, priority != other.priority { return priority > other.priority }
        return place ?? .max < other.place ?? .max
    }
}

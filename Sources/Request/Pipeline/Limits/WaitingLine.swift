/// A request that waits for a ``Limiter``.
final class WaitingRequest: @unchecked Sendable {
    // Unchecked: the lock of the limiter guards all that changes.

    let server: LimitedServer
    /// The call of the request. An interceptor may send several requests for one call.
    let call: UInt64
    fileprivate(set) var priority: CallPriority
    /// The number of requests that came before.
    fileprivate var place = 0
    /// Nil before the request waits, and after it has left.
    fileprivate var continuation: UnsafeContinuation<Void, any Error>?
    /// Another request of the same call that waits.
    fileprivate var next: WaitingRequest?

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
final class LimitedServer: @unchecked Sendable {
    // Unchecked: the lock of the limiter guards all that changes.

    private struct Entry {
        let request: WaitingRequest
        let priority: CallPriority

        func isBefore(_ other: Entry) -> Bool {
            priority != other.priority ? priority > other.priority : request.place < other.request.place
        }
    }

    let address: ServerAddress
    /// The number of requests with a slot.
    var running = 0
    /// The number of requests that are about to wait.
    var expected = 0
    private(set) var waiting = 0
    private var byPriority = Heap<Entry> { $0.isBefore($1) }
    private var byPlace = Heap<WaitingRequest> { $0.place < $1.place }

    init(_ address: ServerAddress) {
        self.address = address
    }

    var isIdle: Bool { running == 0 && waiting == 0 && expected == 0 }
    /// The number of entries in both heaps.
    var entryCount: Int { byPriority.count + byPlace.count }

    fileprivate func append(_ request: WaitingRequest) {
        byPlace.insert(request)
        waiting += 1
        noteChange(of: request)
    }

    /// Takes the priority of a request that waits.
    fileprivate func noteChange(of request: WaitingRequest) {
        byPriority.insert(Entry(request: request, priority: request.priority))
        let most = 2 * waiting + 64
        if byPriority.count > most { byPriority.keep(Self.isCurrent) }
        if byPlace.count > most { byPlace.keep { $0.continuation != nil } }
    }

    fileprivate func noteRemoval() {
        waiting -= 1
        guard waiting == 0 else { return }
        byPriority.keep { _ in false }
        byPlace.keep { _ in false }
    }

    private static func isCurrent(_ entry: Entry) -> Bool {
        entry.request.continuation != nil && entry.request.priority == entry.priority
    }

    /// Returns the request with the highest priority, and removes what is obsolete before it.
    fileprivate func firstByPriority() -> WaitingRequest? {
        while let entry = byPriority.first {
            if Self.isCurrent(entry) { return entry.request }
            byPriority.removeFirst()
        }
        return nil
    }

    /// Returns the request that came first, and removes what is obsolete before it.
    fileprivate func firstByPlace() -> WaitingRequest? {
        while let request = byPlace.first {
            if request.continuation != nil { return request }
            byPlace.removeFirst()
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
    private(set) var count = 0
    private var places = 0
    private var turns = 0

    mutating func append(_ request: WaitingRequest, _ continuation: UnsafeContinuation<Void, any Error>) {
        request.place = places
        request.continuation = continuation
        request.next = requestsOfCalls.updateValue(request, forKey: request.call)
        places += 1
        count += 1
        request.server.append(request)
    }

    /// Returns the continuation of the request; nil if it does not wait.
    mutating func remove(_ request: WaitingRequest) -> UnsafeContinuation<Void, any Error>? {
        guard let continuation = request.continuation else { return nil }
        request.continuation = nil
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
        return continuation
    }

    /// Changes the priority of the requests of a call that wait.
    ///
    /// - Parameter isLeast: A Boolean value that indicates whether requests with a higher priority keep it.
    func setPriority(_ priority: CallPriority, of call: UInt64, isLeast: Bool = false) {
        var next = requestsOfCalls[call]
        while let request = next {
            if isLeast ? request.priority < priority : request.priority != priority {
                request.priority = priority
                request.server.noteChange(of: request)
            }
            next = request.next
        }
    }

    /// Removes the next request, of those for some servers.
    mutating func next(
        of servers: some Sequence<LimitedServer>
    ) -> (request: WaitingRequest, continuation: UnsafeContinuation<Void, any Error>)? {
        guard count > 0 else { return nil }
        let isTurnOfOldest = (turns + 1) % Self.turn == 0
        var next: WaitingRequest?
        for server in servers where server.waiting > 0 {
            guard let request = isTurnOfOldest ? server.firstByPlace() : server.firstByPriority() else { continue }
            if next.map({ request.isBefore($0, byPlace: isTurnOfOldest) }) ?? true { next = request }
        }
        guard let next, let continuation = remove(next) else { return nil }
        turns += 1
        return (next, continuation)
    }
}

extension WaitingRequest {
    fileprivate func isBefore(_ other: WaitingRequest, byPlace: Bool) -> Bool {
        !byPlace && priority != other.priority ? priority > other.priority : place < other.place
    }
}

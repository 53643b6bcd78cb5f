import TangoCache

/// A transfer that calls share, its waiters. It is a hidden call, which passes its events and its response on to them.
final class Flight: CallCore, @unchecked Sendable {
    // Unchecked, as its superclass: added properties are constant, or guarded by the lock of ``Flights``.

    let key: FlightKey
    let message: HTTPRequest
    /// The mark of the ``ChangeLog`` when the transfer was created, and the number of changes before that.
    private let mark: Int
    private let revision: Int
    /// The waiters, by their seats; nil for those that have left. Guarded by the lock of ``Flights``.
    var passengers: [CallCore?] = []
    /// The number of waiters. Guarded by the same lock.
    var passengerCount = 0
    /// The `sending` and `response` events so far, for calls that join later. Guarded by the same lock.
    var announcements: [CallEvent.Content] = []

    /// Passes the events of the transfer on to the waiters, which deliver them to their observers.
    private final class Announcer: EventListener {
        nonisolated(unsafe) private weak var flight: Flight?  // set once, before the first event

        func attach(to core: CallCore) {
            flight = core as? Flight
        }

        func tell(_ content: CallEvent.Content, of core: CallCore) {
            tellFromTransport(content)
        }

        func tellFromTransport(_ content: CallEvent.Content) {
            guard let flight else { return }
            switch content.kind {
            case .willStart, .finished: break
            default:
                for call in flight.plan.client.flights.passengers(of: flight, hearing: content) { call.hear(content) }
            }
        }

        /// The waiters wait for their observers themselves.
        func afterEvents(_ work: @escaping @Sendable () -> Void) { work() }

        /// Returns the entry as the observers of all waiters leave it, one waiter after the other.
        func willStore(_ entry: CacheEntry, of core: CallCore) -> CacheEntry? {
            guard let flight else { return entry }
            var entry = entry
            for call in flight.plan.client.flights.passengers(of: flight) {
                guard let edited = call.willStore(entry) else { return nil }
                entry = edited
            }
            return entry
        }
    }

    init(_ key: FlightKey, of call: CallCore, sending message: HTTPRequest) {
        self.key = key
        self.message = message
        let changes = call.plan.client.changes
        revision = changes.revision
        mark = changes.begin()
        super.init(call.plan.sending(message), lifetime: .managed, events: call.isObserved ? Announcer() : nil)
        let cause = call.state.withLock { replace(&$0.cause, with: nil) }
        if let cause { state.withLock { $0.cause = cause } }
    }

    /// Returns whether a call may share the transfer: no change since its start concerns the response.
    func isCurrent(for call: CallCore) -> Bool {
        let changes = plan.client.changes
        return changes.revision == revision || !changes.hasChanged(call.plan.places(of: message), since: mark)
    }

    /// Returns whether the waiter in a seat has not left.
    func isTaken(_ seat: Int) -> Bool {
        plan.client.flights.isTaken(seat, of: self)
    }

    /// Removes the waiter in a seat.
    func leave(_ seat: Int) {
        plan.client.flights.leave(self, seat)
    }

    /// Takes the response without the output that memory holds, because the waiters may make other outputs of it.
    override func take(_ answer: MemoryResponse) -> Bool {
        explain(answer.explanation)
        arrive { answer.response }
        return true
    }

    override func arrive(_ response: () throws -> HTTPResponse) {
        let result = Result { try response() }
        if case .success(let response) = result { noteChanges(by: response) }
        let calls = plan.client.flights.land(self)
        if finish(.success, error: nil) { hasSettled() }
        explain(to: calls)
        for calls in Self.groups(calls) { calls[0].arrive(result.get, with: calls.dropFirst()) }
    }

    override func end(_ error: any Error, as kind: FinishedState) {
        let calls = plan.client.flights.land(self)
        if finish(kind, error: error) { hasSettled() }
        explain(to: calls)
        for call in calls { call.arrive { throw error } }
    }

    /// Passes the explanation of the HTTP cache and the attempts to all calls.
    private func explain(to calls: [CallCore]) {
        let attempts = attempts
        for call in calls { call.add(attempts) }
        guard let explanation else { return }
        for call in calls { call.explain(explanation) }
    }

    /// The kind of a call. Calls of one kind make the same output of a response.
    private struct Kind: Hashable {
        let type: ObjectIdentifier
        let form: SerializerForm?

        init(_ call: CallCore) {
            type = ObjectIdentifier(call.plan.requestType)
            form = call.plan.form
        }
    }

    /// Groups the calls that share an output.
    private static func groups(_ calls: [CallCore]) -> [[CallCore]] {
        guard let first = calls.first else { return [] }
        let kind = Kind(first)
        // Usually all calls are of one kind.
        if calls.allSatisfy({ $0.plan.sharesOutput && Kind($0) == kind }) { return [calls] }
        var places: [Kind: Int] = [:]
        var groups: [[CallCore]] = []
        for call in calls {
            let kind = Kind(call)
            if let place = places[kind], call.plan.sharesOutput {
                groups[place].append(call)
            } else {
                places[kind] = groups.count
                groups.append([call])
            }
        }
        return groups
    }
}

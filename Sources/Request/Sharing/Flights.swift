import Synchronization

/// The transfers of a client that calls may join.
final class Flights: Sendable {
    private let flights = Mutex<[FlightKey: Flight]>([:])

    /// A call's place in a transfer.
    struct Boarding {
        let flight: Flight
        let seat: Int
        /// The events from before the call has joined.
        let missed: [CallEvent.Content]
        /// A Boolean value that indicates whether the call has to start the transfer.
        var isFirst = false
    }

    /// Joins the transfer with a key. Nil if there is none, or if the call may not share it.
    func join(_ key: FlightKey, _ call: CallCore) -> Boarding? {
        guard let flight = flight(key, for: call) else { return nil }
        return flights.withLock { flights in flights[key] === flight ? flight.addWaiter(call) : nil }
    }

    /// Joins the transfer with a key, or creates one. If the call may not share the present transfer, later calls
    /// cannot join that one either.
    func board(_ key: FlightKey, _ call: CallCore, sending message: HTTPRequest) -> Boarding {
        while true {
            let present = flights.withLock { $0[key] }
            let isShared = present?.isCurrent(for: call) ?? false
            let new = isShared ? nil : Flight(key, of: call, sending: message)
            let boarding = flights.withLock { flights -> Boarding? in
                guard flights[key] === present else { return nil }
                if let new { flights[key] = new }
                var boarding = (new ?? present)?.addWaiter(call)
                boarding?.isFirst = new != nil
                return boarding
            }
            if let boarding { return boarding }
        }
    }

    private func flight(_ key: FlightKey, for call: CallCore) -> Flight? {
        guard let flight = flights.withLock({ $0[key] }), flight.isCurrent(for: call) else { return nil }
        return flight
    }

    /// Returns the calls that wait for a transfer, in the order in which they joined.
    func passengers(of flight: Flight) -> [CallCore] {
        flights.withLock { _ in flight.passengers.compactMap(\.self) }
    }

    /// Returns the calls to notify of an event. Calls that join later receive `sending` and `response` events then.
    func passengers(of flight: Flight, hearing content: CallEvent.Content) -> [CallCore] {
        flights.withLock { _ in
            switch content.kind {
            case .sending, .response: flight.announcements.append(content)
            default: break
            }
            return flight.passengers.compactMap(\.self)
        }
    }

    /// Returns whether the call in a seat still waits for a transfer.
    func isTaken(_ seat: Int, of flight: Flight) -> Bool {
        flights.withLock { _ in flight.passengers.indices.contains(seat) && flight.passengers[seat] != nil }
    }

    /// Removes a transfer that has ended, so that no call joins it. Returns the calls that waited for it.
    func land(_ flight: Flight) -> [CallCore] {
        flights.withLock { flights in
            if flights[flight.key] === flight { flights[flight.key] = nil }
            return flight.removeWaiters()
        }
    }

    /// Removes a call from a transfer. The last call that leaves cancels the transfer.
    func leave(_ flight: Flight, _ seat: Int) {
        let isAbandoned = flights.withLock { flights in
            guard flight.removeWaiter(seat), flight.passengerCount == 0 else { return false }
            if flights[flight.key] === flight { flights[flight.key] = nil }
            return true
        }
        if isAbandoned { flight.cancel() }
    }
}

/// Methods that run under the lock of ``Flights``.
extension Flight {
    fileprivate func addWaiter(_ call: CallCore) -> Flights.Boarding {
        passengers.append(call)
        passengerCount += 1
        return Flights.Boarding(flight: self, seat: passengers.count - 1, missed: announcements)
    }

    /// Returns false if the transfer has ended, or if the call has left before.
    fileprivate func removeWaiter(_ seat: Int) -> Bool {
        guard passengers.indices.contains(seat), passengers[seat] != nil else { return false }
        passengers[seat] = nil
        passengerCount -= 1
        return true
    }

    fileprivate func removeWaiters() -> [CallCore] {
        defer {
            passengers = []
            passengerCount = 0
        }
        return passengers.compactMap(\.self)
    }
}

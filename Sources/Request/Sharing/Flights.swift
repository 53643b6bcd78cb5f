import Synchronization

/// The transfers of a client that calls may join.
final class Flights: Sendable {
    private let flights = Mutex<[FlightKey: Flight]>([:])

    /// A call's place in a transfer.
    struct Boarding {
        let flight: Flight
        let seat: Int
        /// What others have been told before it came.
        let missed: [CallEvent.Content]
        /// Whether the transfer has yet to begin.
        var isFirst = false
    }

    /// The transfer of this key and a seat in it, if there is one that the call may share.
    func join(_ key: FlightKey, _ call: CallCore) -> Boarding? {
        guard let flight = flight(key, for: call) else { return nil }
        return flights.withLock { flights in flights[key] === flight ? flight.seat(call) : nil }
    }

    /// The transfer that a call is to wait for. One that the call may not share goes on without newcomers.
    func board(_ key: FlightKey, _ call: CallCore, sending message: HTTPRequest) -> Boarding {
        while true {
            let present = flights.withLock { $0[key] }
            let isShared = present?.isCurrent(for: call) ?? false
            let new = isShared ? nil : Flight(key, of: call, sending: message)
            let boarding = flights.withLock { flights -> Boarding? in
                guard flights[key] === present else { return nil }
                if let new { flights[key] = new }
                var boarding = (new ?? present)?.seat(call)
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

    /// Those who wait for a transfer, in the order in which they came.
    func passengers(of flight: Flight) -> [CallCore] {
        flights.withLock { _ in flight.passengers.compactMap(\.self) }
    }

    /// Those who are to be told something of it. Who comes later learns of it then.
    func passengers(of flight: Flight, hearing content: CallEvent.Content) -> [CallCore] {
        flights.withLock { _ in
            switch content.kind {
            case .sending, .response: flight.announcements.append(content)
            default: break
            }
            return flight.passengers.compactMap(\.self)
        }
    }

    /// Whether a call still waits for a transfer.
    func isTaken(_ seat: Int, of flight: Flight) -> Bool {
        flights.withLock { _ in flight.passengers.indices.contains(seat) && flight.passengers[seat] != nil }
    }

    /// Takes out a transfer that has ended: nobody joins it any more. Returns those who have waited for it.
    func land(_ flight: Flight) -> [CallCore] {
        flights.withLock { flights in
            if flights[flight.key] === flight { flights[flight.key] = nil }
            return flight.unboard()
        }
    }

    /// A call does not wait any more. With the last one, the transfer ends.
    func leave(_ flight: Flight, _ seat: Int) {
        let isDeserted = flights.withLock { flights in
            guard flight.stand(up: seat), flight.passengerCount == 0 else { return false }
            if flights[flight.key] === flight { flights[flight.key] = nil }
            return true
        }
        if isDeserted { flight.cancel() }
    }
}

/// Under the lock of ``Flights``.
extension Flight {
    fileprivate func seat(_ call: CallCore) -> Flights.Boarding {
        passengers.append(call)
        passengerCount += 1
        return Flights.Boarding(flight: self, seat: passengers.count - 1, missed: announcements)
    }

    /// False for one who was told of the end, or has left.
    fileprivate func stand(up seat: Int) -> Bool {
        guard passengers.indices.contains(seat), passengers[seat] != nil else { return false }
        passengers[seat] = nil
        passengerCount -= 1
        return true
    }

    fileprivate func unboard() -> [CallCore] {
        defer {
            passengers = []
            passengerCount = 0
        }
        return passengers.compactMap(\.self)
    }
}

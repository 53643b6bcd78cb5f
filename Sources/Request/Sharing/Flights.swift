import Synchronization

/// The transfers of a client that calls may join.
final class Flights: Sendable {
    private let flights = Mutex<[FlightKey: Flight]>([:])

    /// The transfer of this key and a seat in it, if there is one.
    func join(_ key: FlightKey, _ call: CallCore) -> (flight: Flight, seat: Int)? {
        flights.withLock { flights in flights[key].map { ($0, $0.seat(call)) } }
    }

    /// The transfer that a call is to wait for, its seat there, and whether it has yet to begin.
    func board(
        _ key: FlightKey, _ call: CallCore, sending message: HTTPRequest
    ) -> (flight: Flight, seat: Int, isNew: Bool) {
        flights.withLock { flights in
            if let flight = flights[key] { return (flight, flight.seat(call), false) }
            let flight = Flight(key, of: call, sending: message)
            flights[key] = flight
            return (flight, flight.seat(call), true)
        }
    }

    /// Those who wait for a transfer, in the order in which they came.
    func passengers(of flight: Flight) -> [CallCore] {
        flights.withLock { _ in flight.passengers.compactMap(\.self) }
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
    fileprivate func seat(_ call: CallCore) -> Int {
        passengers.append(call)
        passengerCount += 1
        return passengers.count - 1
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

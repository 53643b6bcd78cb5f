import Synchronization

/// The transfers of a client that calls may join.
final class Flights: Sendable {
    private let flights = Mutex<[FlightKey: Flight]>([:])

    /// The transfer that a call is to wait for, and whether it has yet to begin.
    func board(_ key: FlightKey, _ call: CallCore, sending message: HTTPRequest) -> (flight: Flight, isNew: Bool) {
        flights.withLock { flights in
            if let flight = flights[key] {
                flight.passengers[call.id] = call
                return (flight, false)
            }
            let flight = Flight(key, of: call, sending: message)
            flight.passengers[call.id] = call
            flights[key] = flight
            return (flight, true)
        }
    }

    /// Those who wait for a transfer, in the order in which they began.
    func passengers(of flight: Flight) -> [CallCore] {
        flights.withLock { _ in flight.passengers.values.sorted { $0.id < $1.id } }
    }

    /// Takes out a transfer that has ended: nobody joins it any more. Returns those who have waited for it.
    func land(_ flight: Flight) -> [CallCore] {
        flights.withLock { flights in
            if flights[flight.key] === flight { flights[flight.key] = nil }
            defer { flight.passengers = [:] }
            return flight.passengers.values.sorted { $0.id < $1.id }
        }
    }

    /// A call does not wait any more. With the last one, the transfer ends.
    func leave(_ flight: Flight, _ number: UInt64) {
        let isDeserted = flights.withLock { flights in
            guard flight.passengers.removeValue(forKey: number) != nil, flight.passengers.isEmpty else { return false }
            if flights[flight.key] === flight { flights[flight.key] = nil }
            return true
        }
        if isDeserted { flight.cancel() }
    }
}

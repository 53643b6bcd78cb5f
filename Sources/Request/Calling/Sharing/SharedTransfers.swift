import Synchronization

/// The transfers of a client that calls may join.
final class SharedTransfers: Sendable {
    private let flights = Mutex<[FlightKey: Flight]>([:])

    /// The place of a call among those that wait for a transfer.
    struct Place {
        let flight: Flight
        let number: Int
        /// The events that other calls were notified of before.
        let missed: [CallEvent.Content]
        /// A Boolean value that indicates whether the transfer has yet to begin.
        var isFirst = false
    }

    /// Adds a call to the transfer with a key, if there is one that it may share.
    func join(_ key: FlightKey, _ call: CallCore) -> Place? {
        let (place, flight) = flights.withLock { flights -> (Place?, Flight?) in
            guard let flight = flights[key] else { return (nil, nil) }
            // Mostly nothing has changed at all.
            return flight.waiters.isUnchanged ? (flight.add(call), nil) : (nil, flight)
        }
        guard let flight else { return place }
        guard flight.waiters.isCurrent(for: call) else { return nil }
        return flights.withLock { flights in flights[key]?.waiters === flight.waiters ? flight.add(call) : nil }
    }

    /// Adds a call to the transfer with a key, or to a new one. A transfer that the call may not share goes on without new calls.
    func share(_ key: FlightKey, _ call: CallCore, sending message: HTTPRequest) -> Place {
        while true {
            let present = flights.withLock { $0[key] }
            let isShared = present?.waiters.isCurrent(for: call) ?? false
            let new = isShared ? nil : Flight(key, of: call, sending: message)
            let place = flights.withLock { flights -> Place? in
                guard flights[key]?.waiters === present?.waiters else { return nil }
                if let new { flights[key] = new }
                var place = (new ?? present)?.add(call)
                place?.isFirst = new != nil
                return place
            }
            if let place { return place }
        }
    }

    /// Returns the calls that wait, in the order in which they came.
    func calls(of waiters: Waiters) -> [CallCore] {
        flights.withLock { _ in waiters.calls.compactMap(\.self) }
    }

    /// Returns the calls to notify of an event. Calls that come later are notified when they join.
    func calls(of waiters: Waiters, hearing content: CallEvent.Content) -> [CallCore] {
        flights.withLock { _ in
            switch content.kind {
            case .sending, .response: waiters.announcements.append(content)
            default: break
            }
            return waiters.calls.compactMap(\.self)
        }
    }

    /// Returns whether a call still waits.
    func isWaiting(_ number: Int, in waiters: Waiters) -> Bool {
        flights.withLock { _ in waiters.calls.indices.contains(number) && waiters.calls[number] != nil }
    }

    /// Removes a transfer that has ended, and returns the calls that have waited for it.
    func end(_ waiters: Waiters) -> [CallCore] {
        let (calls, removed) = flights.withLock { flights in
            (waiters.removeAll(), remove(waiters, from: &flights))
        }
        return withExtendedLifetime(removed) { calls }
    }

    /// Removes a call that waits. Returns true if it was the last one, so that the transfer ends.
    func leave(_ waiters: Waiters, _ number: Int) -> Bool {
        let (isLast, released) = flights.withLock { flights -> (Bool, (CallCore?, Flight?)) in
            guard let call = waiters.remove(number) else { return (false, (nil, nil)) }
            guard waiters.count == 0 else { return (false, (call, nil)) }
            return (true, (call, remove(waiters, from: &flights)))
        }
        return withExtendedLifetime(released) { isLast }
    }

    private func remove(_ waiters: Waiters, from flights: inout [FlightKey: Flight]) -> Flight? {
        flights[waiters.key]?.waiters === waiters ? flights.removeValue(forKey: waiters.key) : nil
    }
}

/// Methods that run under the lock of ``SharedTransfers``.
extension Flight {
    fileprivate func add(_ call: CallCore) -> SharedTransfers.Place {
        waiters.calls.append(call)
        waiters.count += 1
        return SharedTransfers.Place(flight: self, number: waiters.calls.count - 1, missed: waiters.announcements)
    }
}

/// Under the lock of ``SharedTransfers``.
extension Waiters {
    /// Returns nil for a call that has been notified of the end, or has left.
    fileprivate func remove(_ number: Int) -> CallCore? {
        guard calls.indices.contains(number), let call = calls[number] else { return nil }
        calls[number] = nil
        count -= 1
        return call
    }

    fileprivate func removeAll() -> [CallCore] {
        defer {
            calls = []
            count = 0
        }
        return calls.compactMap(\.self)
    }
}

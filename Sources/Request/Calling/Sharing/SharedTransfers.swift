import Synchronization

/// The transfers of a client that calls may join.
final class SharedTransfers: Sendable {
    private let flights = Mutex<[FlightKey: Flight]>([:])

    /// A transfer that a call waits for, with the number of the call there.
    struct Joined {
        let flight: Flight
        let number: Int
        /// The events that other calls were notified of before.
        let missed: [CallEvent.Content]
        /// A Boolean value that indicates whether the transfer has yet to begin.
        var isFirst = false
    }

    /// Lets a call join the transfer of calls that send the same request, or starts one.
    ///
    /// - Parameters:
    ///   - message: The message, if it was made already.
    ///   - isPlanned: A Boolean value that indicates whether the message follows from the plan alone.
    func send(_ call: CallCore, _ message: HTTPRequest?, isPlanned: Bool) {
        do {
            if isPlanned, let key = FlightKey(of: call) {
                guard let joined = join(key, call) else { return share(key, call, try message ?? call.plan.message()) }
                // A call that joins a transfer needs no message.
                call.notify(.willStart(joined.flight.waiters.message))
                wait(call, for: joined)
            } else if let message {
                try share(call, message)
            } else {
                call.carry {
                    do {
                        try Task.checkCancellation()
                        try self.share(call, try call.plan.message())
                    } catch {
                        call.arrive(.failure(error))
                    }
                }
            }
        } catch {
            call.end(error, as: .failure)
        }
    }

    private func share(_ call: CallCore, _ message: HTTPRequest) throws {
        guard let key = FlightKey(message, of: call) else { return try call.sendUnshared(message) }
        share(key, call, message)
    }

    private func share(_ key: FlightKey, _ call: CallCore, _ message: HTTPRequest) {
        call.notify(.willStart(message))
        let joined = add(call, to: key, sending: message)
        wait(call, for: joined)
        guard joined.isFirst else { return }
        LineExecutor.pass(from: call, to: joined.flight.core)
        joined.flight.core.sendRequest()
    }

    private func wait(_ call: CallCore, for joined: Joined) {
        let waiters = joined.flight.waiters
        if !joined.isFirst {
            call.state.withLock { $0.joinedCall = waiters.firstCall }
            call.plan.client.log?.joined(waiters, call)
        }
        for content in joined.missed { call.notify(ofShared: content) }
        call.wait(for: joined.flight, number: joined.number)
    }

    /// Adds a call to the transfer with a key, if there is one that it may share.
    private func join(_ key: FlightKey, _ call: CallCore) -> Joined? {
        let (joined, flight) = flights.withLock { flights -> (Joined?, Flight?) in
            guard let flight = flights[key] else { return (nil, nil) }
            // Mostly nothing has changed at all.
            return flight.waiters.isUnchanged ? (flight.add(call), nil) : (nil, flight)
        }
        guard let flight else { return joined }
        guard flight.waiters.isCurrent(for: call) else { return nil }
        return flights.withLock { flights in flights[key]?.waiters === flight.waiters ? flight.add(call) : nil }
    }

    /// Adds a call to the transfer with a key, or to a new one. A transfer that the call may not share goes on without new calls.
    private func add(_ call: CallCore, to key: FlightKey, sending message: HTTPRequest) -> Joined {
        while true {
            let present = flights.withLock { $0[key] }
            let isShared = present?.waiters.isCurrent(for: call) ?? false
            let new = isShared ? nil : Flight(key, of: call, sending: message)
            let joined = flights.withLock { flights -> Joined? in
                guard flights[key]?.waiters === present?.waiters else { return nil }
                if let new { flights[key] = new }
                var joined = (new ?? present)?.add(call)
                joined?.isFirst = new != nil
                return joined
            }
            if let joined { return joined }
        }
    }

    /// Returns the calls that wait, in the order in which they came.
    func calls(of waiters: Waiters) -> [CallCore] {
        flights.withLock { _ in waiters.calls.compactMap(\.self) }
    }

    /// Returns the calls to notify of an event. Calls that come later are notified when they join.
    func calls(of waiters: Waiters, notifiedOf content: CallEvent.Content) -> [CallCore] {
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
    fileprivate func add(_ call: CallCore) -> SharedTransfers.Joined {
        waiters.calls.append(call)
        waiters.count += 1
        return SharedTransfers.Joined(flight: self, number: waiters.calls.count - 1, missed: waiters.announcements)
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

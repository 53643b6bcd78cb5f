/// The effects of ``Uniqueness``: calls that exclude each other, and calls that share a transfer.
extension CallCore {
    /// Returns whether the call may start. With ``Uniqueness/reject``, it fails if another call of its kind is in
    /// flight. With ``Uniqueness/replace``, the other call fails.
    func isAdmitted() -> Bool {
        guard plan.uniqueness.isExclusive, let name = plan.uniqueName else { return true }
        let loser = plan.client.uniqueCalls.admit(self, as: name, replaces: plan.uniqueness == .replace)
        if loser === self {
            end(RequestError.duplicate(plan.name, isOlder: false), as: .duplicate)
            return false
        }
        loser?.end(RequestError.duplicate(plan.name, isOlder: true), as: .duplicate)
        guard phase.isFinished else { return true }
        // The call ended before it was registered, so its end has not removed it.
        plan.client.uniqueCalls.leave(self, as: name)
        return false
    }

    /// Joins the transfer of calls that send the same request, or starts one.
    ///
    /// - Parameters:
    ///   - message: The message, if it was made already.
    ///   - isPlanned: A Boolean value that indicates whether the message follows from the plan alone.
    func join(_ message: HTTPRequest?, isPlanned: Bool) {
        do {
            if isPlanned, let key = FlightKey(of: self) {
                // A call that joins a transfer needs no message.
                if !joined(key) { share(key, try message ?? plan.message()) }
            } else if let message {
                try share(message)
            } else {
                carry { [self] in
                    do {
                        try Task.checkCancellation()
                        try share(try plan.message())
                    } catch {
                        arrive { throw error }
                    }
                }
            }
        } catch {
            end(error, as: .failure)
        }
    }

    private func joined(_ key: FlightKey) -> Bool {
        guard let place = plan.client.sharedTransfers.join(key, self) else { return false }
        tell(.willStart(place.flight.waiters.message))
        wait(for: place)
        return true
    }

    private func wait(for place: SharedTransfers.Place) {
        if !place.isFirst {
            state.withLock { $0.joinedCall = place.flight.waiters.firstCall }
            logJoining(place.flight.waiters)
        }
        for content in place.missed { notify(ofShared: content) }
        wait(for: place.flight, number: place.number)
    }

    private func share(_ message: HTTPRequest) throws {
        guard let key = FlightKey(message, of: self) else { return try sendUnshared(message) }
        share(key, message)
    }

    private func share(_ key: FlightKey, _ message: HTTPRequest) {
        tell(.willStart(message))
        let place = plan.client.sharedTransfers.share(key, self, sending: message)
        wait(for: place)
        guard place.isFirst else { return }
        place.flight.core.takeLine(of: self)
        place.flight.core.sendRequest()
    }
}

/// What a run has to do with others of its kind.
extension CallCore {
    /// Whether there may be another run of its kind; the older one makes way where it has to.
    func isAdmitted() -> Bool {
        guard plan.uniqueness.isExclusive, let name = plan.uniqueName else { return true }
        let loser = plan.client.uniqueCalls.admit(self, as: name, replaces: plan.uniqueness == .replace)
        if loser === self {
            end(RequestError.duplicate(plan.name, isOlder: false), as: .duplicate)
            return false
        }
        loser?.end(RequestError.duplicate(plan.name, isOlder: true), as: .duplicate)
        guard phase.isFinished else { return true }
        // It ended before it was noted, and nobody else would take it out.
        plan.client.uniqueCalls.leave(self, as: name)
        return false
    }

    /// Asks the server together with others who would ask the same.
    func join(_ message: HTTPRequest?) {
        do {
            if let message = try message ?? (plan.isQuick ? plan.message() : nil) { return board(message) }
        } catch {
            return end(error, as: .failure)
        }
        carry { [self] in
            do {
                try Task.checkCancellation()
                board(try plan.message())
            } catch {
                arrive { throw error }
            }
        }
    }

    private func board(_ message: HTTPRequest) {
        guard let key = FlightKey(message, plan, isObserved: isObserved) else { return askAlone(message) }
        tell(.willStart(message))
        let (flight, isNew) = plan.client.flights.board(key, self, sending: message)
        wait(for: flight, sending: message)
        if isNew { flight.begin() }
    }
}

/// The holds of a run, while it waits for credentials.
extension CallCore {
    /// Begins a hold, and ends the run if the hold takes too long.
    ///
    /// - Parameter limit: The longest time of the hold; nil for no limit.
    package func beginHold(limit: Duration?) -> Hold {
        beginHold(limit, on: plan.client.configuration.clock)
    }

    private func beginHold(_ limit: Duration?, on clock: some Clock<Duration>) -> Hold {
        // The instants are fixed at once, so that a clock which is advanced right after has a sleeper.
        let start = clock.now
        var alarm: Task<Void, Never>?
        if let limit {
            let end = clock.instant(after: limit)
            alarm = Task { [weak self] in
                do { try await clock.sleep(until: end, tolerance: nil) } catch { return }
                self?.fail(
                    .authenticationTimedOut,
                    "the call waited \(limit) for credentials: check the server that issues them, or raise holdLimit")
            }
        }
        return Hold(elapsed: { start.duration(to: clock.now) }, alarm: alarm)
    }

    /// Ends a hold. The next attempt has its time.
    package func endHold(_ hold: Hold) {
        hold.alarm?.cancel()
        let time = hold.elapsed()
        state.withLock { $0.held = ($0.held ?? .zero) + time }
    }

    /// Adds a decision of the authenticator to the log of the last attempt.
    package func noteAuthentication(_ note: Attempt.Authentication) {
        state.withLock { state in
            guard !state.attempts.isEmpty else { return }
            state.attempts[state.attempts.count - 1].authentication = note
        }
    }
}

/// A hold of a run in progress.
package struct Hold {
    /// Returns the time since its beginning.
    let elapsed: @Sendable () -> Duration
    /// The task that ends the run if the hold takes too long.
    let alarm: Task<Void, Never>?
}

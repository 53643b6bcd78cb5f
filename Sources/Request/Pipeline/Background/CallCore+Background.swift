/// The time of a run whose application has left the foreground.
extension CallCore {
    /// Asks for time to finish, if the plan wants it. A transfer that calls share is not started, so only its calls ask.
    func beginBackgroundTime() {
        guard plan.needsBackgroundTime else { return }
        let end = plan.client.configuration.backgroundTime.begin(plan.name) { [weak self] in
            self?.fail(
                .backgroundTimeExpired,
                "the application has left the foreground, and its time there is over: start the call again when the "
                    + "application is active, or transfer files with BackgroundPolicy.session")
        }
        let isFinished = state.withLock { state in
            guard !state.phase.isFinished else { return true }
            state.endBackgroundTime = end
            return false
        }
        if isFinished { end() }
    }

    /// Gives the time back, once.
    func endBackgroundTime() {
        let end = state.withLock { replace(&$0.endBackgroundTime, with: nil) }
        end?()
    }
}

/// The end of the time that a call has asked for after its application has left the foreground.
struct BackgroundTimeEnd: Sendable {
    private let giveBack: @Sendable () -> Void

    /// Asks for time for a call. A transfer that calls share is not started, so only its calls ask.
    static func begin(for core: CallCore) {
        let end = core.plan.client.configuration.backgroundTime.begin(core.plan.name) { [weak core] in
            core?.fail(
                .backgroundTimeExpired,
                "the application has left the foreground, and its time there is over: start the call again when the "
                    + "application is active, or transfer files with BackgroundPolicy.session")
        }
        let isFinished = core.state.withLock { state in
            if !state.phase.isFinished { state.values[BackgroundTimeEnd.self] = BackgroundTimeEnd(giveBack: end) }
            return state.phase.isFinished
        }
        if isFinished { end() }
    }

    /// Gives the time of a call back, once.
    static func run(for core: CallCore) {
        core.state.withLock { replace(&$0.values[BackgroundTimeEnd.self], with: nil) }?.giveBack()
    }
}

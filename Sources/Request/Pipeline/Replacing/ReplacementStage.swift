/// Lets a call wait before it is sent, so that a newer call can replace it: see ``Uniqueness/replace(after:)``.
///
/// It stands below the HTTP cache, because a cached response needs no wait. The call that replaces another one cancels its task,
/// and with it the wait.
struct ReplacementStage: Stage {
    let clock: any Clock<Duration>

    func shortcut(for request: HTTPRequest, of plan: CommonPlan) -> StageShortcut {
        plan.uniqueness.delay == .zero ? .pass : .needed
    }

    func accepts(_ outcome: Result<HTTPResponse, any Error>, of plan: CommonPlan) -> Bool { true }

    func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
        let delay = context.core.plan.uniqueness.delay
        guard delay != .zero else { return try await next(request) }
        guard delay > .zero else {
            throw RequestError(
                .badPolicy, phase: .prepare,
                detail: "Uniqueness.replace(after:) has \(delay.text): set zero or more", request: request)
        }
        try await wait(delay, on: clock, context)
        return try await next(request)
    }

    /// Waits once for a call. Each hop of a redirect passes the stage.
    private func wait(_ delay: Duration, on clock: some Clock<Duration>, _ context: CallContext) async throws {
        let core = context.core
        let start = clock.now
        let isFirst = core.state.withLock { state in
            guard state.values[ReplacementWait.self] == nil else { return false }
            state.values[ReplacementWait.self] = ReplacementWait { start.duration(to: clock.now) }
            return true
        }
        guard isFirst else { return }
        let end = clock.instant(after: delay)
        context.become(.queued, for: .replacement)
        context.notify(.waiting(.replacement))
        await core.deliverEvents()
        defer {
            let time = start.duration(to: clock.now)
            core.state.withLock { $0.values[ReplacementWait.self] = ReplacementWait { time } }
        }
        try await clock.sleep(until: end, tolerance: nil)
        context.become(.running)
    }
}

/// The time for which a run has waited for a newer call to replace it.
struct ReplacementWait: Sendable {
    let time: @Sendable () -> Duration
}

extension CallCore {
    /// The time for which the run has waited for a newer call to replace it; nil if it did not wait.
    var replacementWait: Duration? { state.withLock { $0.values[ReplacementWait.self] }?.time() }

    /// A Boolean value that indicates whether a newer call has replaced the run.
    var isReplaced: Bool { (error as? RequestError)?.isReplaced ?? false }
}

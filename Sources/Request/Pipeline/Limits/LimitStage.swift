import Synchronization

/// Lets requests wait for a slot of their client's ``Limiter``.
///
/// A request that gets its slot at once is sent on the caller's thread: see ``Pipeline/enter(_:)``.
struct LimitStage: Stage {
    let limiter: Limiter

    func shortcut(for request: HTTPRequest, of plan: CommonPlan) -> StageShortcut {
        limiter.problem == nil ? .pass : .needed
    }

    func accepts(_ outcome: Result<HTTPResponse, any Error>, of plan: CommonPlan) -> Bool { true }

    func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
        // The exchange is over, and has returned its slot.
        if context.firstOutcome?.isPending ?? false { return try await next(request) }
        if let problem = limiter.problem {
            throw RequestError(.badPolicy, phase: .prepare, detail: problem, request: request)
        }
        let server = try ServerAddress(of: request)
        var next = next
        if !limiter.enter(server) { next = next.queued(for: try await wait(for: server, request, context)) }
        let slot = Slot(limiter, server)
        var response = try await next(request)
        if response.isStreaming {
            response.stream = BodyStream(AttemptBody(response.stream) { _ in slot.leave() })
        } else {
            slot.leave()
        }
        return response
    }

    /// Returns the time that the request has waited.
    private func wait(
        for server: ServerAddress, _ request: HTTPRequest, _ context: CallContext
    ) async throws -> Duration {
        let start = ContinuousClock.now
        context.become(.queued, for: .queue)
        context.tell(.waiting(.queue))
        do {
            try await limiter.wait(for: server, context.core.priority, call: context.core.id)
        } catch is Limiter.Full {
            throw RequestError(
                .queueFull, phase: .prepare,
                detail:
                    "nothing was sent, because \(limiter.queue ?? 0) requests wait, which is all that Limiter.queue "
                    + "allows: send fewer at the same time, or raise it", request: request)
        }
        context.become(.running)
        return ContinuousClock.now - start
    }
}

/// A slot of a limiter. It is returned once, at the latest when this object is released.
private final class Slot: Sendable {
    private let limiter: Limiter
    private let server: ServerAddress
    private let isLeft = Atomic(false)

    init(_ limiter: Limiter, _ server: ServerAddress) {
        self.limiter = limiter
        self.server = server
    }

    deinit {
        leave()
    }

    func leave() {
        if !isLeft.exchange(true, ordering: .relaxed) { limiter.leave(server) }
    }
}

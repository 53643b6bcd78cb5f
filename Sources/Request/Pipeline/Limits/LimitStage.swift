import Synchronization

/// Lets requests wait for a slot of their client's ``Limiter``.
///
/// A request for which no other stage has to run waits without a task: see ``Pipeline/enter(_:for:)``.
struct LimitStage: Stage {
    let limiter: Limiter

    func shortcut(for request: HTTPRequest, of plan: CommonPlan) -> StageShortcut {
        limiter.problem == nil ? .pass : .needed
    }

    func accepts(_ outcome: Result<HTTPResponse, any Error>, of plan: CommonPlan) -> Bool { true }

    func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
        // The exchange is over, and has returned its slot.
        if context.firstOutcome?.isPending ?? false { return try await next(request) }
        // The system decides when it makes a transfer.
        if context.core.plan.carrier != nil { return try await next(request) }
        guard limiter.problem == nil else { throw limiter.refusal(of: request, for: Limiter.Invalid()) }
        let address = try ServerAddress(of: request)
        var next = next
        let server: LimitedServer
        let expected = LineExecutor.take(from: context.core)?.request
        if let entered = expected.map({ limiter.claim($0, at: address) }) ?? limiter.enter(address) {
            server = entered
        } else {
            let waiting = expected ?? limiter.expect(address, call: context.core.id, context.core.priority)
            let (entered, time) = try await wait(for: waiting, request, context)
            server = entered
            next = next.queued(for: time)
        }
        let slot = Slot(limiter, server)
        var response = try await next(request)
        if response.isStreaming {
            response.stream = BodyStream(AttemptBody(response.stream) { _ in slot.leave() })
        } else {
            slot.leave()
        }
        return response
    }

    /// Returns the server whose slot the request has then, and the time that it has waited.
    private func wait(
        for waiting: WaitingRequest, _ request: HTTPRequest, _ context: CallContext
    ) async throws -> (LimitedServer, Duration) {
        let start = ContinuousClock.now
        // A part of a file waits beside others, which are loaded.
        let isPart = context.cause == .part
        if !isPart { context.become(.queued, for: .queue) }
        context.notify(.waiting(.queue))
        do {
            let server = try await limiter.wait(for: waiting, context.core.priority)
            if !isPart { context.become(.running) }
            return (server, ContinuousClock.now - start)
        } catch {
            throw limiter.refusal(of: request, for: error)
        }
    }
}

extension Limiter {
    /// Returns the error of a request that may not wait.
    func refusal(of request: HTTPRequest, for error: any Error) -> any Error {
        switch error {
        case is Full:
            RequestError(
                .queueFull, phase: .prepare,
                detail:
                    "nothing was sent, because \(queue ?? 0) requests wait, which is all that Limiter.queue "
                    + "allows: send fewer at the same time, or raise it", request: request)
        case is Invalid:
            RequestError(
                .badPolicy, phase: .prepare,
                detail: problem
                    ?? "nothing was sent, because a limit of the Limiter was invalid for a moment: try again",
                request: request)
        default: error
        }
    }
}

/// A slot of a limiter. It is returned once, at the latest when this object is released.
private final class Slot: Sendable {
    private let limiter: Limiter
    private let server: LimitedServer
    private let isLeft = Atomic(false)

    init(_ limiter: Limiter, _ server: LimitedServer) {
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

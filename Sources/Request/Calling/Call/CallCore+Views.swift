import Synchronization

/// The views of a run: its state, its response, its progress, and the values of the application.
extension CallCore {
    package var phase: CallState { state.withLock(\.phase) }

    func become(_ phase: CallState, for wait: CallWait? = nil) {
        let states = state.withLock { $0.phase.isFinished ? nil : $0.become(phase, for: wait) }
        states?.deliver()
    }

    /// The current state, and each state that follows.
    var states: AsyncStream<CallState> {
        let (broadcast, isFinished) = state.withLock { state in
            let isFinished = state.phase.isFinished
            let broadcast = state.values[Followers.self]?.states ?? Broadcast(state.phase, keepsAll: true)
            if !isFinished { state.values[Followers.self, default: Followers()].states = broadcast }
            return (broadcast, isFinished)
        }
        if isFinished { broadcast.end() }
        return broadcast.values
    }

    package var response: HTTPResponse? {
        let (cached, response) = state.withLock { ($0.cached, $0.response) }
        return cached?.response(to: plan) ?? response
    }

    /// The request that was sent, and its response.
    package var exchanged: (request: HTTPRequest?, response: HTTPResponse?) {
        state.withLock { state in
            (state.request ?? state.work.flight?.waiters.message, state.response)
        }
    }

    /// The request of the last attempt, with its body unless a redirect has dropped it. Before the first attempt, it is
    /// the request that the call is about to send.
    package var newestRequest: HTTPRequest? {
        let message = exchanged.request ?? (try? plan.message())
        guard var request = attempts.last?.request else { return message }
        if let message, message.method == request.method { request.body = message.body }
        return request
    }

    /// The requests that were sent, without their bodies.
    package var sent: [HTTPRequest] { sent(after: 0) }

    /// Returns the requests that were sent after the attempt with a number, without their bodies.
    package func sent(after number: Int) -> [HTTPRequest] {
        state.withLock(\.attempts).filter { $0.number > number }.map(\.request)
    }

    /// Takes a cached response, in place of the response of a server.
    func accept(_ cached: CachedResponse) {
        withExtendedLifetime(state.withLock { replace(&$0.cached, with: cached) }) {}
    }

    /// A Boolean value that indicates whether the run has observers.
    var isObserved: Bool { events != nil }

    /// Returns the entry to cache, as the observers return it; nil if they reject it.
    func willStore(_ entry: CacheEntry) -> CacheEntry? {
        guard let events else { return entry }
        return events.willStore(entry, of: self)
    }

    /// The decision of the HTTP cache.
    var explanation: CacheExplanation? { state.withLock(\.explanation) }

    /// The priority of the run. A shared transfer has the highest one of its calls.
    var priority: CallPriority {
        if case .waiters(let waiters) = receiver {
            return waiters.sharedTransfers.calls(of: waiters).map(\.priority).max() ?? plan.priority
        }
        return state.withLock { $0.values[CallPriority.self] } ?? plan.priority
    }

    func setPriority(_ priority: CallPriority) {
        let flight = state.withLock { state in
            state.values[CallPriority.self] = priority
            return state.work.flight
        }
        updatePriority()
        guard let flight else { return }
        flight.waiters.havePriorities.store(true, ordering: .relaxed)
        flight.core.updatePriority()
    }

    /// Gives the limiter the priority of a call that joins the run. This takes the same time however many calls have joined.
    func raisePriority(to priority: CallPriority) {
        plan.client.pipeline.limiter?.setPriority(priority, of: id, isLeast: true)
    }

    /// Gives the limiter the priority of the run.
    func updatePriority() {
        guard let limiter = plan.client.pipeline.limiter else { return }
        var new: CallPriority
        // A call may join or leave meanwhile.
        repeat {
            new = priority
            limiter.setPriority(new, of: id)
        } while priority != new
    }

    /// Takes a response. Returns false if the run has ended, so that no output has to be made.
    @discardableResult
    func accept(_ response: HTTPResponse) -> Bool {
        let (isFinished, response, cached) = state.withLock { state in
            (state.phase.isFinished, replace(&state.response, with: response), replace(&state.cached, with: nil))
        }
        withExtendedLifetime((response, cached)) {}
        return !isFinished
    }

    /// Takes the response of an attempt, and notifies the observers.
    func received(_ content: CallEvent.Content, _ response: HTTPResponse) {
        // A later response is that of a background refresh.
        let old = state.withLock { state in
            state.phase.isFinished ? nil : replace(&state.response, with: response)
        }
        withExtendedLifetime(old) {}
        events?.notify(content, of: self)
    }

    /// Notifies the observers. Without observers, the event is not made.
    func notify(_ kind: @autoclosure () -> CallEvent.Kind, attempt number: Int? = nil) {
        if plan.client.log != nil || events != nil { deliver(kind(), attempt: number) }
    }

    @inline(never)
    private func deliver(_ kind: CallEvent.Kind, attempt number: Int?) {
        plan.client.log?.event(kind, of: self)
        events?.notify(CallEvent.Content(kind, attempt: number), of: self)
    }

    /// The current progress, and each progress that follows.
    func followProgress() -> AsyncStream<CallProgress> {
        let (broadcast, isNew, isFinished, flight) = state.withLock { state in
            let flight = state.work.flight
            let passed = (flight?.core ?? self).transportProgress
            // The response of an earlier attempt has another body.
            if state.attempts.last.map({ $0.ended != nil }) ?? true { passed.complete(by: state.response) }
            let (present, isFinished) = (state.values[Followers.self]?.progress, state.phase.isFinished)
            let broadcast = present ?? Broadcast(passed.snapshot, keepsAll: false)
            if !isFinished { state.values[Followers.self, default: Followers()].progress = broadcast }
            return (broadcast, present == nil, isFinished, flight)
        }
        let values = broadcast.values
        if isFinished {
            broadcast.end()
        } else if isNew {
            broadcast.follow(flight?.core, or: self)
        }
        return values
    }
}

extension CallCore: CustomReflectable {
    package var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}

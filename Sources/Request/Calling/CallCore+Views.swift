import Synchronization

/// The views of a run: its state, its response, its progress, and the values of the application.
extension CallCore {
    package var phase: CallState { state.withLock(\.phase) }

    func become(_ phase: CallState, for wait: CallWait? = nil) {
        let states = state.withLock { state in
            if !state.phase.isFinished { state.become(phase, for: wait) }
            return state.states
        }
        states?.deliver()
    }

    /// The current state, and each state that follows.
    var states: AsyncStream<CallState> {
        let (broadcast, isFinished) = state.withLock { state in
            let broadcast = state.states ?? Broadcast(state.phase, keepsAll: true)
            if !state.phase.isFinished { state.states = broadcast }
            return (broadcast, state.phase.isFinished)
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
            (state.request ?? state.work.request, state.response)
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
    func keep(_ cached: CachedResponse) {
        withExtendedLifetime(state.withLock { replace(&$0.cached, with: cached) }) {}
    }

    /// A Boolean value that indicates whether the run has observers.
    var isObserved: Bool { events != nil }

    /// Returns the entry to cache, as the observers return it; nil if they reject it.
    func willStore(_ entry: CacheEntry) -> CacheEntry? {
        guard let events else { return entry }
        return events.willStore(entry, of: self)
    }

    /// The number of the call whose transfer the run shares, or has shared.
    package var joinedCall: UInt64? { state.withLock(\.joinedCall) }

    /// The decision of the HTTP cache.
    var explanation: CacheExplanation? { state.withLock(\.explanation) }

    func explain(_ explanation: CacheExplanation) {
        state.withLock { $0.explanation = explanation }
    }

    /// The time for which the run has waited for a network, with the transfer that it shares.
    var waitForConnectivity: Duration {
        let (total, current, flight) = state.withLock { state in
            (state.connectivityWaits, state.connectivityWait, state.isFlightLogged ? nil : state.work.flight)
        }
        return total + (current?() ?? .zero) + (flight?.core.waitForConnectivity ?? .zero)
    }

    /// Begins a wait for a network.
    ///
    /// - Parameter elapsed: Returns the time since the beginning of the wait.
    func beginConnectivityWait(elapsed: @escaping @Sendable () -> Duration) {
        state.withLock { $0.connectivityWait = elapsed }
    }

    func endConnectivityWait() {
        guard let elapsed = state.withLock({ replace(&$0.connectivityWait, with: nil) }) else { return }
        let time = elapsed()
        state.withLock { $0.connectivityWaits += time }
    }

    /// The priority of the run. A shared transfer has the highest one of its calls.
    var priority: CallPriority {
        if case .waiters(let waiters) = receiver {
            return waiters.sharedTransfers.calls(of: waiters).map(\.priority).max() ?? plan.priority
        }
        return state.withLock(\.priority) ?? plan.priority
    }

    func setPriority(_ priority: CallPriority) {
        let flight = state.withLock { state in
            state.priority = priority
            return state.work.flight
        }
        updatePriority()
        flight?.core.updatePriority()
    }

    /// Gives the limiter the priority of a call that joins the run. This takes the same time however many calls have joined.
    func raisePriority(to priority: CallPriority) {
        plan.client.pipeline.limiter?.setPriority(priority, of: id, isLeast: true)
    }

    /// Gives the limiter the priority of the run.
    private func updatePriority() {
        plan.client.pipeline.limiter?.setPriority(priority, of: id)
    }

    var userInfo: [String: any Sendable] { state.withLock(\.userInfo.values) }

    func setUserInfo(_ value: (any Sendable)?, for name: String) {
        let old = state.withLock { state in
            state.userInfo.version += 1
            return replace(&state.userInfo.values[name], with: value)
        }
        withExtendedLifetime(old) {}
    }

    /// Changes values in one step. The function is called again if another thread has changed them meanwhile.
    func updateUserInfo<Result>(_ change: (inout [String: any Sendable]) -> Result) -> Result {
        while true {
            let old = state.withLock(\.userInfo)
            var new = old
            new.version += 1
            let result = change(&new.values)
            let isDone = state.withLock { state in
                guard state.userInfo.version == old.version else { return false }
                state.userInfo = new
                return true
            }
            if withExtendedLifetime(old, { isDone }) { return result }
        }
    }

    /// Takes a response. Returns false if the run has ended, so that no output has to be made.
    @discardableResult
    func keep(_ response: HTTPResponse) -> Bool {
        let (isFinished, response, cached) = state.withLock { state in
            (state.phase.isFinished, replace(&state.response, with: response), replace(&state.cached, with: nil))
        }
        withExtendedLifetime((response, cached)) {}
        return !isFinished
    }

    func received(_ response: HTTPResponse, attempt number: Int) {
        received(CallEvent.Content(.response(response), attempt: number), response)
    }

    /// Takes an event of the transfer that the run shares as one of its own.
    func notify(ofShared content: CallEvent.Content) {
        var content = content
        content.attempt = content.attempt.map { $0 + attemptCount }
        if case .response(let response) = content.kind { received(content, response) } else { tell(content) }
    }

    private func received(_ content: CallEvent.Content, _ response: HTTPResponse) {
        guard events != nil else { return }
        // A later response is that of a background refresh.
        let old = state.withLock { state in
            state.phase.isFinished ? nil : replace(&state.response, with: response)
        }
        withExtendedLifetime(old) {}
        tell(content)
    }

    /// Notifies the observers. Without observers, the event is not made.
    func tell(_ kind: @autoclosure () -> CallEvent.Kind, attempt number: Int? = nil) {
        if plan.client.log != nil { log(kind()) }
        events?.tell(CallEvent.Content(kind(), attempt: number), of: self)
    }

    private func tell(_ content: CallEvent.Content) {
        events?.tell(content, of: self)
    }

    /// The current progress, and each progress that follows.
    func followProgress() -> AsyncStream<CallProgress> {
        let (broadcast, isNew, isFinished, flight) = state.withLock { state in
            let flight = state.work.flight
            let passed = (flight?.core ?? self).transportProgress
            // The response of an earlier attempt has another body.
            if state.attempts.last.map({ $0.ended != nil }) ?? true { passed.complete(by: state.response) }
            let broadcast = state.progress ?? Broadcast(passed.snapshot, keepsAll: false)
            defer { if !state.phase.isFinished { state.progress = broadcast } }
            return (broadcast, state.progress == nil, state.phase.isFinished, flight)
        }
        let values = broadcast.values
        if isFinished {
            broadcast.end()
        } else if isNew {
            follow(flight, broadcast)
        }
        return values
    }

    func follow(_ flight: Flight?, _ broadcast: Broadcast<CallProgress>) {
        if let flight {
            Task { for await progress in flight.core.followProgress() { broadcast.take { progress } } }
        } else {
            let progress = transportProgress
            progress.follow { [weak progress] newest in broadcast.take { progress?.snapshot ?? newest } }
            // The bytes that passed since the snapshot.
            broadcast.take { progress.snapshot }
        }
    }
}

extension CallCore: CustomReflectable {
    package var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}

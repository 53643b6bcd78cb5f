/// The exchanges of a run with the transport, and their log.
extension CallCore {
    /// The log of the run, with that of the transfer that it shares.
    package var attempts: [Attempt] {
        let (own, flight, shared) = state.withLock { state in
            (state.attempts, state.isFlightLogged ? nil : state.work.flight, state.sharedLog)
        }
        let all = shared?.completing(own) ?? own
        guard let flight else { return all }
        return all + Self.numbered(flight.core.attempts, after: all.newestNumber)
    }

    fileprivate static func numbered(_ attempts: [Attempt], after count: Int) -> [Attempt] {
        guard count > 0 else { return attempts }
        return attempts.map { attempt in
            var attempt = attempt
            attempt.number += count
            return attempt
        }
    }

    /// The number of attempts that the run has made itself.
    var attemptCount: Int { state.withLock(\.attempts.newestNumber) }

    /// Adds the log of a transfer that the run has shared, and the time for which it has waited for a network.
    ///
    /// - Parameter core: The transfer, if its log may go on.
    func add(_ attempts: [Attempt], waited: Duration, of core: CallCore? = nil) {
        guard core != nil || !attempts.isEmpty || waited > .zero else { return }
        let old = state.withLock { state in
            state.isFlightLogged = true
            state.connectivityWaits += waited
            if let shared = state.sharedLog { state.attempts = shared.completing(state.attempts) }
            let shared = core.map { SharedLog(core: $0, start: state.attempts.count, count: attempts.count) }
            // Mostly the log of the transfer is all, and is shared.
            let added = Self.numbered(attempts, after: state.attempts.newestNumber)
            state.attempts = state.attempts.isEmpty ? added : state.attempts + added
            return replace(&state.sharedLog, with: shared)
        }
        withExtendedLifetime(old) {}
    }

    /// The log of a transfer, from which a run has taken the attempts so far.
    struct SharedLog {
        let core: CallCore
        /// The place of the first attempt of the transfer in the log of the run.
        let start: Int
        /// The number of attempts that the run has taken.
        let count: Int

        /// Returns the log of the run with the attempts of the transfer that have ended or begun meanwhile.
        func completing(_ log: [Attempt]) -> [Attempt] {
            let all = core.attempts
            guard all.count > count || all.indices.contains(where: { isOpen($0, log) }) else { return log }
            var log = log
            let newest = CallCore.numbered(all, after: start)
            for place in 0..<count where isOpen(place, log) { log[start + place] = newest[place] }
            return log + CallCore.numbered(Array(all[count...]), after: log.count - count)
        }

        private func isOpen(_ place: Int, _ log: [Attempt]) -> Bool {
            place < count && log[start + place].ended == nil
        }
    }

    /// Takes over the log of a transfer that the run has left before its end. Without other calls, the transfer was cancelled.
    func logSharedAttempts(of work: Work, _ error: any Error) {
        guard let flight = work.flight, !state.withLock(\.isFlightLogged) else { return }
        add(flight.core.attempts, waited: flight.core.waitForConnectivity)
        let goesOn = flight.core.phase != .finished(.cancelled)
        if goesOn { state.withLock { $0.attempts.change($0.attempts.newestNumber) { $0.isOfOthers = true } } }
        endLastAttempt(.failure(error))
    }

    // MARK: Around the transport

    /// Sends a request, in the task that runs the pipeline.
    func exchange(
        _ request: HTTPRequest, by transport: any Transport, context: CallContext
    ) async throws -> HTTPResponse {
        // An interceptor may have made another request.
        let request = plan.redacting(request)
        let number = beginAttempt(request, context.cause, queued: context.queued)
        context.tell(.sending(request), attempt: number)
        await deliverEvents()
        do {
            // Observers may have cancelled the call.
            try Task.checkCancellation()
            if isObserved { state.withLock { $0.attempts.change(number) { $0.startTime = .now } } }
            var response = try await transport.send(
                request, options: options(context.options, for: request, attempt: number))
            if let queued = context.queued { response.metrics.queued = queued }
            endAttempt(number, .success(response))
            if response.isStreaming {
                response.stream = BodyStream(
                    AttemptBody(response.stream, queued: context.queued) { [weak self] end in
                        self?.endBody(of: number, end)
                    })
            }
            received(response, attempt: number)
            await deliverEvents()
            return response
        } catch {
            endAttempt(number, .failure(error))
            throw error
        }
    }

    /// Hands a request to the transport on the caller's thread. That saves a task and a change of threads.
    ///
    /// - Parameter message: The message of the plan, from which the stages have made the request.
    func exchange(_ request: HTTPRequest, madeOf message: HTTPRequest?) {
        var slot: LimitedServer?
        guard plan.client.pipeline.enter(request, of: self, &slot) else { return runPipeline(message) }
        guard let number = willStart(message ?? request) else {
            plan.client.pipeline.leave(slot)
            return
        }
        become(.running)
        _ = beginAttempt(request, nil)
        var options = options
        options.trust = trust(for: request)
        let task = plan.client.pipeline.transport.start(request, options: options) { [self, slot] response in
            plan.client.pipeline.leave(slot)
            // The thread is the transport's.
            Scheduler.inBackground { [self] in completeExchange(response) }
        }
        didStart(task, number: number)
    }

    /// Returns nil if the run has ended.
    private func willStart(_ message: HTTPRequest) -> Int? {
        let (number, old) = state.withLock { state -> (Int?, (HTTPRequest?, Work)?) in
            guard !state.phase.isFinished else { return (nil, nil) }
            state.starts += 1
            let old = (replace(&state.request, with: message), replace(&state.work, with: .starting(state.starts)))
            return (state.starts, old)
        }
        withExtendedLifetime(old) {}
        return number
    }

    /// Takes the task of the transport as the work of the run, unless the run has ended or has other work meanwhile.
    private func didStart(_ task: TransportTask, number: Int) {
        let isWanted = state.withLock { state in
            guard case .starting(number) = state.work else { return false }
            state.work = .transport(task)
            return true
        }
        if !isWanted { task.cancel() }
    }

    /// Takes the outcome of a direct exchange. If a stage does not accept it, the whole pipeline runs with it.
    func completeExchange(_ response: () throws -> HTTPResponse) {
        let outcome = Result { try response() }
        endLastAttempt(outcome)
        if case .success(let response) = outcome { received(response, attempt: attemptCount) }
        guard plan.client.pipeline.hasStages, !plan.client.pipeline.accepts(outcome, of: plan) else {
            return arrive(outcome.get)
        }
        runPipeline(exchanged.request, firstOutcome: FirstOutcome(outcome))
    }

    private func beginAttempt(_ request: HTTPRequest, _ cause: Attempt.Cause?, queued: Duration? = nil) -> Int {
        let (number, cause) = state.withLock { state in
            let number = state.attempts.newestNumber + 1
            let cause = cause ?? state.cause ?? (number == 1 ? .first : .repetition)
            if number > 1 { transportProgress.beginAttempt(isPart: cause == .part) }
            state.cause = nil
            state.attempts.add(
                Attempt(number: number, cause: cause, request: request, queued: queued, held: state.held))
            state.held = nil
            return (number, cause)
        }
        logSending(request, attempt: number, cause)
        return number
    }

    /// Adds the decision about a retry to the log of the last attempt.
    func noteRetry(_ decision: RetryDecision) {
        state.withLock { state in
            guard !state.attempts.isEmpty else { return }
            state.attempts[state.attempts.count - 1].retry = decision
        }
    }

    private func endAttempt(_ number: Int, _ outcome: Result<HTTPResponse, any Error>) {
        state.withLock { $0.attempts.change(number) { $0.end(outcome) } }
        logEnd(of: number, outcome)
        measureEnd(of: number, outcome)
    }

    private func endBody(of number: Int, _ end: AttemptBody.End) {
        let isFirst = state.withLock { state in
            defer { state.attempts.change(number) { $0.endBody(end) } }
            return state.attempts[number: number]?.ended == nil
        }
        logBody(of: number, end)
        if isFirst { measureBody(of: number) }
    }

    private func endLastAttempt(_ outcome: Result<HTTPResponse, any Error>) {
        guard let number = state.withLock({ $0.endLastAttempt(outcome) }) else { return }
        logEnd(of: number, outcome)
        measureEnd(of: number, outcome)
    }

    /// The rules of trust for an attempt. A client certificate is a credential: a server that gets no others gets none.
    private func trust(for request: HTTPRequest) -> ServerTrust {
        guard let others = plan.trust.forOtherOrigins, !plan.client.originRule.allowsCredentials(for: request.url)
        else {
            return plan.trust
        }
        // The rules of a request are meant for the server that it names. So are those of a client that names no server.
        let isOwn = plan.trust != plan.client.configuration.trust || !plan.client.originRule.hasOrigins
        if isOwn, let declared = try? plan.message().url, Origin(declared) == Origin(request.url) { return plan.trust }
        return others
    }

    /// The options of an attempt, with which the transport notifies the observers.
    private func options(_ options: TransportOptions, for request: HTTPRequest, attempt number: Int) -> TransportOptions
    {
        var options = options
        options.trust = trust(for: request)
        guard let events, !events.isQuick else { return options }
        // The transport keeps this function, and calls it on a thread of its own: it must hold nothing of the user's.
        options.onEvent = { [weak events, transportProgress] event in
            let kind: CallEvent.Kind =
                switch event {
                case .informational(let status, let headers): .informational(status, headers)
                case .sent, .received: .progress(transportProgress.snapshot)
                }
            events?.tellFromTransport(CallEvent.Content(kind, attempt: number))
        }
        return options
    }
}

extension CallCore.State {
    /// Ends the attempt in flight, if there is one, and returns its number. A refresh in the background goes on.
    @discardableResult
    mutating func endLastAttempt(_ outcome: Result<HTTPResponse, any Error>) -> Int? {
        guard let place = attempts.lastIndex(where: { $0.cause != .refresh }) else { return nil }
        attempts[place].end(outcome)
        return attempts[place].number
    }
}

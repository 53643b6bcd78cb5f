/// The exchanges of a run with the transport, and their log.
extension CallCore {
    /// The log of the run, with that of the transfer that it shares.
    package var attempts: [Attempt] {
        let (own, flight, shared) = state.withLock { state in
            (state.attempts, state.unloggedFlight, state.values[SharedLog.self])
        }
        let all = shared?.completing(own) ?? own
        guard let flight else { return all }
        return all + flight.core.attempts.numbered(after: all.newestNumber)
    }

    /// The number of attempts that the run has made itself.
    package var attemptCount: Int { state.withLock(\.attempts.newestNumber) }

    /// Sends a request, in the task that runs the pipeline.
    func exchange(
        _ request: HTTPRequest, by transport: any Transport, context: CallContext
    ) async throws -> HTTPResponse {
        // An interceptor may have made another request.
        let request = plan.redacting(request)
        let number = state.withLock { begin(request, context.cause, queued: context.queued, &$0) }
        plan.client.log?.sending(request, attempt: number, of: self)
        context.notify(.sending(request), attempt: number)
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
            if isObserved { received(CallEvent.Content(.response(response), attempt: number), response) }
            // Attempt interceptors see the response after the observers. Without them, no slot is held meanwhile.
            if plan.client.pipeline.hasAttemptInterceptors { await deliverEvents() }
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
        switch plan.client.pipeline.enter(request, for: self) {
        case .enters(let slot): exchange(request, madeOf: message, in: slot)
        case .waits(let waiting, let limiter): wait(for: waiting, of: limiter, request, madeOf: message)
        case .none: runPipeline(message)
        }
    }

    /// Sends a request once the limiter has a slot for it.
    private func wait(
        for waiting: WaitingRequest, of limiter: Limiter, _ request: HTTPRequest, madeOf message: HTTPRequest?
    ) {
        let old = state.withLock { state -> (HTTPRequest?, CallWork)? in
            guard !state.phase.isFinished else { return nil }
            let old = replace(&state.request, with: message ?? request)
            return (old, replace(&state.work, with: .queued(waiting, limiter)))
        }
        guard old != nil else { return limiter.withdraw(waiting) }
        let start = ContinuousClock.now
        becomeWithJoiners(.queued, for: .queue)
        notify(.waiting(.queue))
        limiter.wait(for: waiting, priority) { [self] result in
            let time = ContinuousClock.now - start
            // The thread that makes a slot free, or changes a limit, has other work to do.
            Scheduler.inBackground { [self] in
                switch result {
                case .success: exchange(request, madeOf: message, in: waiting.server, after: (waiting, time))
                case .failure(let error): refuse(limiter.refusal(of: request, for: error), after: waiting)
                }
            }
        }
    }

    /// Takes the error of a request that got no slot, unless the run has ended or goes on in another way.
    private func refuse(_ error: any Error, after waiting: WaitingRequest) {
        guard state.withLock({ $0.work.waits(for: waiting) }) else { return }
        let outcome = Result<HTTPResponse, any Error>.failure(error)
        guard !plan.client.pipeline.accepts(outcome, of: plan) else { return arrive(outcome) }
        // A policy of the application may queue it again.
        runPipeline(exchanged.request, firstOutcome: FirstOutcome(outcome))
    }

    /// - Parameters:
    ///   - slot: The server with the slot of the request; nil without a limiter.
    ///   - wait: The wait for the slot, and its time; nil if there was none.
    private func exchange(
        _ request: HTTPRequest, madeOf message: HTTPRequest?, in slot: LimitedServer?,
        after wait: (request: WaitingRequest, time: Duration)? = nil
    ) {
        let client = plan.client
        let began = state.withLock { state -> (Int, Broadcast<CallState>?, (HTTPRequest?, CallWork))? in
            guard !state.phase.isFinished, wait.map({ state.work.waits(for: $0.request) }) != false else { return nil }
            let states = wait == nil ? state.become(.running) : nil
            let number = begin(request, nil, queued: wait?.time, &state)
            let old = replace(&state.request, with: message ?? request)
            state.exchange = .sent(number: number, slot: slot, queued: wait?.time)
            return (number, states, (old, replace(&state.work, with: .starting(number))))
        }
        guard let (number, states, old) = began else { return client.pipeline.leave(slot) }
        withExtendedLifetime(old) {}
        states?.deliver()
        if wait != nil { becomeWithJoiners(.running) }
        client.pipeline.countRequest(request, of: plan)
        client.log?.sending(request, attempt: number, of: self)
        var options = options
        options.trust = plan.trustRules(for: request)
        // A closure that holds the run alone needs no memory of its own.
        let take: TransportCompletion =
            if number == 1 {
                { [self] in leaveTransport(with: $0, of: 1) }
            } else {
                { [self] in leaveTransport(with: $0, of: number) }
            }
        let task = client.pipeline.transport.start(request, options: options, completion: take)
        // The run may have ended, or have other work meanwhile.
        let isWanted = state.withLock { state in
            guard case .starting(number) = state.work else { return false }
            state.work = .transport(task)
            return true
        }
        if !isWanted { task.cancel() }
    }

    /// Takes the outcome of a direct exchange from the thread of the transport to that of the task which waits for the output, or
    /// to one of the library.
    ///
    /// A serializer of the application may block, so it runs on a thread of the library.
    private func leaveTransport(with response: @escaping @Sendable () throws -> HTTPResponse, of number: Int) {
        var promise: AnyPromise?
        if plan.form != nil, events == nil, case .call(_, let outcome) = receiver { promise = outcome.onlyPromise }
        let slot = state.withLock { state -> LimitedServer?? in
            // A faulty transport may complete twice.
            guard case .sent(number, let slot, let queued) = state.exchange else { return nil }
            state.exchange = .completed(response, queued: queued)
            return .some(slot)
        }
        guard let slot else { return }
        plan.client.pipeline.leave(slot)
        // As this closure holds the run alone, it needs no memory.
        Scheduler.inBackground(settling: promise) { [self] in completeExchange() }
    }

    /// Takes the outcome of a direct exchange. If a stage does not accept it, the whole pipeline runs with it.
    private func completeExchange() {
        let exchange = state.withLock { replace(&$0.exchange, with: .none) }
        guard case .completed(let response, let queued) = exchange else { return }
        let outcome = Result {
            var response = try response()
            if let queued { response.metrics.queued = queued }
            return response
        }
        endLastAttempt(outcome)
        if isObserved, case .success(let response) = outcome {
            received(CallEvent.Content(.response(response), attempt: attemptCount), response)
        }
        guard plan.client.pipeline.hasStages, !plan.client.pipeline.accepts(outcome, of: plan) else {
            return arrive(outcome)
        }
        // The task of the pipeline takes over no values of a task that waits for the call.
        Scheduler.inBackground { [self] in runPipeline(exchanged.request, firstOutcome: FirstOutcome(outcome)) }
    }

    // MARK: The log

    /// Adds an attempt to the log, and returns its number. It runs under the lock.
    private func begin(
        _ request: HTTPRequest, _ cause: Attempt.Cause?, queued: Duration? = nil, _ state: inout State
    ) -> Int {
        let number = state.attempts.newestNumber + 1
        let next = state.values.isEmpty ? nil : replace(&state.values[NextAttempt.self], with: nil)
        let cause = cause ?? next?.cause ?? (number == 1 ? .first : .repetition)
        if number > 1 { transportProgress.beginAttempt(isPart: cause == .part) }
        state.attempts.add(
            Attempt(number: number, cause: cause, request: request, queued: queued, held: next?.held))
        return number
    }

    /// Changes the entry of the last attempt.
    package func changeLastAttempt(_ change: (inout Attempt) -> Void) {
        state.withLock { state in
            if !state.attempts.isEmpty { change(&state.attempts[state.attempts.count - 1]) }
        }
    }

    private func endAttempt(_ number: Int, _ outcome: Result<HTTPResponse, any Error>) {
        state.withLock { $0.attempts.change(number) { $0.end(outcome) } }
        report(number, outcome)
    }

    /// Ends the attempt in flight, if there is one. A refresh in the background goes on.
    func endLastAttempt(_ outcome: Result<HTTPResponse, any Error>) {
        if let number = state.withLock({ $0.endLastAttempt(outcome) }) { report(number, outcome) }
    }

    /// Notifies the log and the meter of the end of an attempt.
    private func report(_ number: Int, _ outcome: Result<HTTPResponse, any Error>) {
        let (log, meter) = (plan.client.log, plan.client.meter)
        guard log != nil || meter != nil, let attempt = state.withLock({ $0.attempts[number: number] }) else { return }
        log?.ended(attempt, outcome, of: self)
        meter?.attemptEnded(attempt, outcome)
    }

    private func endBody(of number: Int, _ end: AttemptBody.End) {
        let (old, attempt) = state.withLock { state in
            let old = state.attempts[number: number]
            state.attempts.change(number) { $0.endBody(end) }
            return (old, state.attempts[number: number])
        }
        guard let attempt else { return }
        plan.client.log?.endedBody(of: attempt, end, of: self)
        if old?.ended == nil { plan.client.meter?.bodyEnded(of: attempt) }
    }

    // MARK: Options

    /// The options of all attempts.
    var options: TransportOptions {
        var options = TransportOptions(
            timeouts: plan.timeouts, trust: plan.trust,
            decompression: plan.client.configuration.decompression, delivery: plan.delivery,
            progress: transportProgress)
        options.networks = plan.networks
        options.requestType = plan.requestType
        options.clock = plan.client.configuration.clock
        return options
    }

    /// The options of an attempt, with which the transport notifies the observers.
    private func options(_ options: TransportOptions, for request: HTTPRequest, attempt number: Int) -> TransportOptions
    {
        var options = options
        options.trust = plan.trustRules(for: request)
        guard let events, !events.isQuick else { return options }
        // The transport keeps this function, and calls it on a thread of its own: it must hold nothing of the user's.
        options.onEvent = { [weak events, transportProgress] event in
            let kind: CallEvent.Kind =
                switch event {
                case .informational(let status, let headers): .informational(status, headers)
                case .sent, .received: .progress(transportProgress.snapshot)
                }
            events?.notifyFromTransport(CallEvent.Content(kind, attempt: number))
        }
        return options
    }
}

extension CallCore.State {
    /// The reason for the next attempt; nil for the usual one.
    var cause: Attempt.Cause? {
        get { values[NextAttempt.self]?.cause }
        set { values[NextAttempt.self, default: NextAttempt()].cause = newValue }
    }

    /// Ends the attempt in flight, and returns its number.
    @discardableResult
    mutating func endLastAttempt(_ outcome: Result<HTTPResponse, any Error>) -> Int? {
        guard let place = attempts.lastIndex(where: { $0.cause != .refresh }) else { return nil }
        attempts[place].end(outcome)
        return attempts[place].number
    }
}

/// The notes of stages about the next attempt of a run.
struct NextAttempt: Sendable {
    /// Its reason; nil for the usual one.
    var cause: Attempt.Cause?
    /// The time for which the run was held before it, until it had credentials; nil if it was not.
    var held: Duration?
}

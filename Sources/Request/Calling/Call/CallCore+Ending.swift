import Synchronization

/// The error that has ended a run.
private struct RunError: Sendable {
    let error: any Error
    /// A Boolean value that indicates whether the body of a streamed response was still arriving.
    let endedBody: Bool
}

/// The end of a run. The first event that ends it decides.
extension CallCore {
    /// Ends the run with an output, unless it has ended.
    ///
    /// - Parameter act: Called if this ends the run, before the outcome is settled.
    func finish(with output: AnyOutput, isUnchanged: Bool = false, then act: () -> Void = {}) {
        guard finish(.success, error: nil) else { return }
        act()
        settle(.output(output, isUnchanged: isUnchanged))
    }

    /// Ends the run with an error, unless it has ended.
    @inline(never)
    func finish(_ kind: FinishedState = .failure, with error: any Error, then act: () -> Void = {}) {
        guard finish(kind, error: error) else { return }
        act()
        settle(.error(error))
    }

    /// Ends the run with the end of its streamed body, whose trailers and times it takes.
    func endBody(_ ending: BodyStream.Ending?) {
        state.withLock { state in
            guard !state.phase.isFinished, let ending else { return }
            state.response?.trailers = ending.trailers
            state.response?.metrics = ending.metrics
        }
        guard finish(.success, error: nil) else { return }
        settle(.endOfBody)
    }

    /// The error that has ended the run.
    var error: (any Error)? { state.withLock { $0.values[RunError.self] }?.error }

    /// The error that has ended a streamed call before its body.
    var bodyFailure: (any Error)? {
        state.withLock { $0.values[RunError.self] }.flatMap { $0.endedBody ? $0.error : nil }
    }

    /// Ends the run with an error, whatever it is doing, unless it has ended. A policy may serve a cached response instead.
    @inline(never)
    func end(_ error: any Error, as kind: FinishedState) {
        switch receiver {
        case .call:
            let error = noting(kind, plan.naming(error))
            if kind == .failure, let cache { cache.finish(with: error) } else { finish(kind, with: error) }
        case .waiters(let waiters): waiters.end(of: self, error, as: kind)
        case .none: break
        }
    }

    /// Returns the error of a failure with the decision after the last attempt.
    private func noting(_ kind: FinishedState, _ error: any Error) -> any Error {
        guard kind == .failure, let decision = state.withLock({ $0.attempts.last?.retry }), decision.delay == nil,
            var error = error as? RequestError
        else { return error }
        error.retryDecision = decision
        if decision.reason == .noBudget {
            error.detail += "; it was not sent again, because \(decision.reason): wait, or raise the RetryBudget"
        }
        return error
    }

    /// Ends the run with an error of the library.
    func fail(_ code: RequestError.Code, _ detail: String) {
        var (request, response) = exchanged
        let isBody = state.withLock(\.work.isBody)
        // A cached response has nothing to do with the failure.
        if response?.source.isCache == true { response = nil }
        let phase: RequestError.Phase =
            isBody ? .receive : response != nil ? .decode : request != nil ? .wait : .prepare
        end(RequestError(code, phase: phase, detail: detail, request: request, response: response), as: .failure)
    }

    /// Returns an error with the request on which it happened, unless it has one. The run takes the response of the error.
    @inline(never)
    func complete(_ error: any Error) -> any Error {
        guard var error = error as? RequestError else { return error }
        error.request = error.request ?? state.withLock(\.request)
        if let response = error.response {
            // An error outlives the reader of a streamed body, and must not keep the connection.
            if response.isStreaming { error.response = response.head }
            accept(response.isStreaming ? response.head : response)
        }
        return error
    }

    /// Ends the run. Returns false if it has ended before.
    ///
    /// The caller settles the outcome, and then calls ``hasSettled()``.
    func finish(_ kind: FinishedState, error: (any Error)?) -> Bool {
        let left = state.withLock { state -> (CallWork, Alarm?, Followers?, LinePlace)? in
            guard !state.phase.isFinished else { return nil }
            _ = state.become(.finished(kind))
            if began != nil { state.ended = .now }
            if let error {
                state.endLastAttempt(.failure(error))
                state.values[RunError.self] = RunError(error: error, endedBody: state.work.isBody)
            }
            let followers = state.values.isEmpty ? nil : replace(&state.values[Followers.self], with: nil)
            return (
                replace(&state.work, with: .none), replace(&state.deadline, with: nil), followers,
                replace(&state.line, with: .passed)
            )
        }
        guard let (work, deadline, followers, line) = left else { return false }
        if case .held(let line) = line { line.leave() }
        // After a success the work has ended by itself.
        if kind != .success { work.cancel() }
        if let error { logSharedAttempts(of: work, error) }
        part?.end()
        deadline?.cancel()
        followers?.states?.end()
        if let progress = followers?.progress {
            let passed = (work.flight?.core ?? self).transportProgress
            passed.complete(by: response, isLast: true)
            progress.end(with: passed.snapshot)
        }
        notify(.finished(kind, error: error))
        let client = plan.client
        client.log?.ended(self, error)
        if let meter = client.meter, case .call = receiver, let began {
            meter.callEnded(AnyCall(self), as: kind, after: began.instant.duration(to: .now))
        }
        client.uniqueCalls.leave(self)
        client.registry.leave(self)
        return true
    }

    /// Settles the outcome once the observers have been notified of everything so far.
    private func settle(_ ending: Ending) {
        guard case .call(_, let outcome) = receiver else { return }
        guard let events else { return settle(outcome, ending) }
        events.afterEvents { [self] in settle(outcome, ending) }
    }

    private func settle(_ outcome: any CallOutcome, _ ending: Ending) {
        cache?.leaveRefreshing()
        outcome.settle(ending)
        if case .error = ending { reportUnseenError() }
        hasSettled()
    }

    /// Called once the outcome of the run has been settled.
    func hasSettled() {
        Scheduler.runImmediate()
        if plan.needsBackgroundTime { BackgroundTimeEnd.run(for: self) }
        plan.client.registry.settled()
    }

    /// Returns once the observers have been notified of everything so far.
    package func deliverEvents() async {
        guard let events else { return }
        await LineExecutor.keepingPlace(of: self) { await events.deliverAll() }
    }
}

/// The response of a run, and its output.
extension CallCore {
    /// Takes the response of the pipeline or its error: makes the output, or passes it on to the calls that wait for it.
    func arrive(_ outcome: Result<HTTPResponse, any Error>) {
        switch receiver {
        case .call(let decoder, let receiver): arrive(outcome, decoder, receiver)
        case .waiters(let waiters): waiters.end(of: self, outcome)
        case .none: break
        }
    }

    private func arrive(
        _ outcome: Result<HTTPResponse, any Error>, _ decoder: any AnyOutputDecoder, _ receiver: any CallOutcome
    ) {
        do {
            let response = try outcome.get()
            if plan.mayHaveChanges(response) { plan.client.changes.note(response, of: self) }
            // The body of a download has been read.
            if plan.delivery == .stream, response.isStreaming, response.file == nil {
                return deliverStreaming(response, decoder, receiver)
            }
            guard cache?.takesForConfirmation(response) != true, accept(response) else { return }
            do {
                take(try output(of: response, by: decoder), of: response)
            } catch {
                if cache?.sendsAgain(insteadOf: response, error) != true { throw error }
            }
        } catch {
            if cache?.isFallingBack == true { return }
            let error = complete(error)
            end(error, as: error is CancellationError ? .cancelled : .failure)
        }
    }

    /// Takes a response that other calls of the same request type have waited for too. The first call that has not ended makes the
    /// output for all.
    func arrive(_ outcome: Result<HTTPResponse, any Error>, with others: ArraySlice<CallCore>) {
        guard !phase.isFinished else {
            let others = others.drop(while: \.phase.isFinished)
            others.first?.arrive(outcome, with: others.dropFirst())
            return
        }
        guard case .call(let decoder, _) = receiver else { return }
        do {
            let response = try outcome.get()
            // Each call confirms the output that it has delivered.
            guard response.status != .notModified else {
                arrive(outcome)
                for other in others { other.arrive(outcome) }
                return
            }
            let output = try output(of: response, by: decoder)
            take(output, of: response)
            for other in others { other.arrive(output, of: response) }
        } catch {
            // Each call has validation and an error serializer of its own.
            let isSentAgain = (try? outcome.get()).flatMap { cache?.sendsAgain(insteadOf: $0, error) }
            if isSentAgain != true { arrive(.failure(error)) }
            for other in others { other.arrive(outcome) }
        }
    }

    /// Takes an output that another call made, if the response is valid for this one.
    private func arrive(_ output: AnyOutput, of response: HTTPResponse) {
        guard case .call(let decoder, _) = receiver, decoder.decodes(output) else { return arrive(.success(response)) }
        do {
            try plan.validate(response)
            take(output, of: response)
        } catch {
            if cache?.sendsAgain(insteadOf: response, error) != true { arrive(.failure(error)) }
        }
    }

    private func take(_ output: AnyOutput, of response: HTTPResponse) {
        guard accept(response) else { return }
        if let cache { cache.finish(with: output, of: response) } else { finish(with: output) }
    }

    func output(of response: HTTPResponse, by decoder: any AnyOutputDecoder) throws -> AnyOutput {
        // A download has been validated before it was written.
        if response.file == nil { try plan.validate(response) }
        let start = began.map { _ in ContinuousClock.now }
        defer { if let start { state.withLock { $0.decoding = start.duration(to: .now) } } }
        return try plan.refining { context in try decoder.output(of: response, context: context) }
    }

    /// Delivers a response whose body is still arriving. The run goes on until the body has ended.
    ///
    /// The run does not hold the body that is delivered, so that releasing it ends the run.
    private func deliverStreaming(
        _ response: HTTPResponse, _ decoder: any AnyOutputDecoder, _ outcome: any CallOutcome
    ) {
        let stream = response.stream
        let body = CallBody(stream, of: self)
        var delivered = response
        delivered.stream = BodyStream(body)
        do {
            let output = try output(of: delivered, by: decoder)
            guard accept(response.head), carry(by: .body(stream)) else { return }
            outcome.deliverStreaming(output)
        } catch {
            // Ended before the body is released, which would cancel the run.
            withExtendedLifetime(body) { end(complete(error), as: error is CancellationError ? .cancelled : .failure) }
        }
    }
}

/// The response of a run, and its output.
extension CallCore {
    /// Takes the response of the pipeline or its error: makes the output, or passes it on to the calls that wait for it.
    func arrive(_ response: () throws -> HTTPResponse) {
        switch receiver {
        case .call(let decoder, let outcome): arrive(response, decoder, outcome)
        case .waiters(let waiters): waiters.end(of: self, response)
        case .none: break
        }
    }

    @inline(never)
    private func arrive(
        _ response: () throws -> HTTPResponse, _ decoder: any AnyOutputDecoder, _ outcome: any CallOutcome
    ) {
        do {
            let response = try response()
            plan.client.changes.note(response, of: self)
            // The body of a download has been read.
            if plan.delivery == .stream, response.isStreaming, response.file == nil {
                return deliverStreaming(response, decoder, outcome)
            }
            guard cache?.takesForConfirmation(response) != true, keep(response) else { return }
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
    func arrive(_ response: () throws -> HTTPResponse, with others: ArraySlice<CallCore>) {
        guard !phase.isFinished else {
            let others = others.drop(while: \.phase.isFinished)
            others.first?.arrive(response, with: others.dropFirst())
            return
        }
        guard case .call(let decoder, _) = receiver else { return }
        do {
            let response = try response()
            // Each call confirms the output that it has delivered.
            guard response.status != .notModified else {
                arrive { response }
                for other in others { other.arrive { response } }
                return
            }
            let output = try output(of: response, by: decoder)
            take(output, of: response)
            for other in others { other.arrive(output, of: response) }
        } catch {
            // Each call has validation and an error serializer of its own.
            let isSentAgain = (try? response()).flatMap { cache?.sendsAgain(insteadOf: $0, error) }
            if isSentAgain != true { arrive { throw error } }
            for other in others { other.arrive(response) }
        }
    }

    /// Takes an output that another call made, if the response is valid for this one.
    private func arrive(_ output: AnyOutput, of response: HTTPResponse) {
        guard case .call(let decoder, _) = receiver, decoder.decodes(output) else { return arrive { response } }
        do {
            try plan.validate(response)
            take(output, of: response)
        } catch {
            if cache?.sendsAgain(insteadOf: response, error) != true { arrive { throw error } }
        }
    }

    private func take(_ output: AnyOutput, of response: HTTPResponse) {
        guard keep(response) else { return }
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
            guard keep(response.head), carry(by: .body(stream)) else { return }
            outcome.deliverStreaming(output)
        } catch {
            // Ended before the body is released, which would cancel the run.
            withExtendedLifetime(body) { end(complete(error), as: error is CancellationError ? .cancelled : .failure) }
        }
    }
}

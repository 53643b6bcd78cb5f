extension MessageExchange {
    /// Revalidates a stored response (RFC 9111, 4.3). Returns the stored response if it is current, or else the
    /// response of the server.
    func validate(
        _ stored: StoredResponse, _ selection: Selection, _ body: StoredBody, _ explanation: CacheExplanation
    ) async throws -> HTTPResponse {
        let start = await exchange.start()
        var response: HTTPResponse
        do {
            response = try await send(
                isNamed ? request : ConditionalRequest.validating(stored, request, fields: fields), for: .validation)
        } catch {
            guard let failure = StaleRule.failure(error), let reason = staleReason(failure, stored),
                let stale = try await serve(stored, selection, body, explanation.with(.cached, reason))
            else {
                explain(explanation)
                throw error
            }
            return stale
        }
        if StaleRule.isServerError(response.status), let reason = staleReason(.serverError, stored),
            let stale = try await serve(stored, selection, body, explanation.with(.cached, reason))
        {
            response.stream.cancel()
            return stale
        }
        switch ValidationOutcome.of(stored, status: response.status, headers: response.headers, fields: fields) {
        case .confirmed:
            try? await response.collect(upTo: 64 << 10)
            let updated = update(stored, with: response, sentAt: start)
            if let confirmed = try await deliverConfirmed(updated, selection, body, response, explanation) {
                return confirmed
            }
            exchange.notify(.miss(key, .unusable))
            return try await fetch(explanation.with(.fetched, .bodyMissing))
        case .confirmsCaller:
            explain(explanation)
            return response
        case .confirmsNothing:
            try? await response.collect(upTo: 64 << 10)
            exchange.notify(.miss(key, .expired))
            return try await fetch(explanation)
        case .replaced:
            // If the call has delivered the stale response before, that was a hit.
            let wasGiven = exchange.plan.follows && staleReason(.disconnected, stored) != nil
            if !wasGiven { exchange.notify(.miss(key, .expired)) }
            return receive(response, sentAt: start, explanation)
        }
    }

    private func deliverConfirmed(
        _ stored: StoredResponse, _ selection: Selection, _ body: StoredBody, _ confirmation: HTTPResponse,
        _ explanation: CacheExplanation
    ) async throws -> HTTPResponse? {
        var response = head(stored, selection)
        response.headers.fields += StoredFields.passing(confirmation.headers, beside: stored.headers)
        response.source = .validated
        response.metrics = confirmation.metrics
        guard let delivered = try await deliver(response, stored, body) else { return nil }
        let explanation = explanation.with(.revalidated, explanation.reason)
        explain(explanation)
        exchange.notify(.revalidated(key))
        return delivered
    }

    private func staleReason(_ failure: StaleRule.Failure, _ stored: StoredResponse) -> CacheExplanation.Reason? {
        StaleRule.reason(failure, stored: stored, directives: fields.directives, situation: situation)
    }

    /// Updates a stored response with the headers of a newer response. Returns it, and changes the store.
    @discardableResult
    func update(
        _ stored: StoredResponse, with response: HTTPResponse, sentAt start: CacheExchange.Start
    ) -> StoredResponse {
        let end = exchange.now
        let (exchange, request, headers) = (exchange, request, response.headers)
        @Sendable func updated(_ stored: StoredResponse) -> StoredResponse {
            exchange.updated(stored, with: headers, for: request, requestTime: start.time, responseTime: end)
        }
        // Headers that are meant for one user must not be stored for all.
        guard exchange.difference(response, to: request, after: start.sentCount) == nil else { return updated(stored) }
        let condition = exchange.condition(since: start, for: request, tags: stored.tags)
        exchange.store.change(key, if: condition, report: exchange.report()) { responses in
            guard responses.contains(where: { $0.id == stored.id }) else { return nil }
            return responses.compactMap { response in
                // Another call may have updated the response since, with newer headers.
                let isNewer = response.requestTime != stored.requestTime && response.requestTime > start.time
                guard response.id == stored.id, !isNewer else { return response }
                let newer = updated(response)
                return newer.staysStored ? newer : nil
            }
        }
        return updated(stored)
    }

    /// Requests the missing bytes of a stored body, and returns the complete response.
    func complete(
        _ stored: StoredResponse, _ gap: Range<Int>, _ explanation: CacheExplanation
    ) async throws -> HTTPResponse {
        let start = await exchange.start()
        let received = try await send(ConditionalRequest.completing(stored, gap, request), for: .completion)
        guard received.status == .partialContent else {
            // The body has changed on the server. The response is a new one, or a 416 that is of no use.
            guard received.status == .rangeNotSatisfiable else {
                return receive(received, sentAt: start, explanation)
            }
            return try await fetch(explanation)
        }
        var ranged = request
        ranged.headers.set(name: "Range", value: "bytes=\(gap.lowerBound)-\(gap.upperBound - 1)")
        var part = received
        guard storing(ranged, start).store(&part) == nil, let whole = await whole(like: stored),
            let body = await open(whole, .whole)
        else { return try await fetch(explanation) }
        explain(explanation)
        var response = head(whole, .whole)
        response.metrics = received.metrics
        if let all = try await deliver(response, whole, body) { return all }
        return try await fetch(explanation)
    }

    /// Returns the complete response that a stored part has become; nil if it is not complete.
    private func whole(like part: StoredResponse) async -> StoredResponse? {
        let responses = (try? await exchange.store.responses(for: key)) ?? []
        return responses.first { response in
            response.status == .ok && response.content.isComplete && response.matches(request.headers)
                && ValidationOutcome.areParts(part, response)
        }
    }

    // MARK: In the background

    /// Revalidates a stored response, and only changes the store. Returns the response of the server, without the body that has
    /// been read.
    ///
    /// - Parameter mark: The mark at which the refresh was queued. If the response has been removed since, the refresh
    ///   is cancelled, because it could restore a response for a user who has signed out.
    func refresh(_ stored: StoredResponse, since mark: Int) async throws -> HTTPResponse {
        let tags = stored.tags.union([exchange.store.identity.tag])
        let moment = await exchange.store.shared.moment(for: key, tags: tags)
        let current = try await exchange.store.responses(for: key).first { $0.id == stored.id }
        let start = CacheExchange.Start(
            time: exchange.now, mark: mark, moment: moment, sentCount: context.core.attemptCount)
        // Another call may have refreshed the response since.
        guard current?.responseTime == stored.responseTime,
            exchange.condition(since: start, for: request, tags: stored.tags).holds
        else { throw CancellationError() }
        var request = request
        for name in ["If-None-Match", "If-Modified-Since", "Range", "If-Range"] { request.headers.remove(name) }
        request.method = .get
        let fields = RequestFields(request.headers)
        var response = try await send(
            isNamed ? request : ConditionalRequest.validating(stored, request, fields: fields), for: .refresh)
        switch ValidationOutcome.of(stored, status: response.status, headers: response.headers, fields: fields) {
        case .confirmed:
            try? await response.collect(upTo: 64 << 10)
            update(stored, with: response, sentAt: start)
        case .replaced where !StaleRule.isServerError(response.status):
            _ = storing(request, start).store(&response)
            // Reading the body records it.
            for try await _ in response.stream {}
            if let ending = response.stream.ending { response.metrics = ending.metrics }
        case .confirmsCaller, .confirmsNothing, .replaced: response.stream.cancel()
        }
        return HTTPResponse(
            status: response.status, reason: response.reason, version: response.version, headers: response.headers,
            request: response.request, metrics: response.metrics)
    }
}

extension CacheExplanation {
    func with(_ outcome: Outcome, _ reason: Reason) -> CacheExplanation {
        var explanation = self
        explanation.outcome = outcome
        explanation.reason = reason
        return explanation
    }
}

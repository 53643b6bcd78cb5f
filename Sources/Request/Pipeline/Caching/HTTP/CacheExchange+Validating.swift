extension CacheExchange {
    /// Revalidates a stored response (RFC 9111, 4.3). Returns the stored response if it is current, or else the
    /// response of the server.
    func validate(
        _ stored: StoredResponse, _ selection: Selection, _ body: StoredBody, _ explanation: CacheExplanation
    ) async throws -> HTTPResponse {
        let start = await cache.start(key, context)
        var response: HTTPResponse
        do {
            response = try await send(
                isNamed ? request : ConditionalRequest.validating(stored, request, fields: fields), for: .validation)
        } catch {
            guard let failure = StaleRule.failure(error), let reason = staleReason(failure, stored),
                let stale = try await serve(stored, selection, body, explanation.with(.cached, reason))
            else {
                cache.explain(explanation, context)
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
            cache.tell(.missed(.unusable), request, context)
            return try await fetch(explanation.with(.fetched, .bodyMissing))
        case .confirmsCaller:
            cache.explain(explanation, context)
            return response
        case .confirmsNothing:
            try? await response.collect(upTo: 64 << 10)
            cache.tell(.missed(.expired), request, context)
            return try await fetch(explanation)
        case .replaced:
            // If the call has delivered the stale response before, that was a hit.
            let wasGiven = context.core.plan.follows && staleReason(.disconnected, stored) != nil
            if !wasGiven { cache.tell(.missed(.expired), request, context) }
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
        cache.explain(explanation, context)
        cache.tell(.revalidated(explanation), request, context)
        return delivered
    }

    private func staleReason(_ failure: StaleRule.Failure, _ stored: StoredResponse) -> CacheExplanation.Reason? {
        StaleRule.reason(
            failure, stored: stored, directives: fields.directives, situation: situation(at: cache.moment))
    }

    /// Updates a stored response with the headers of a newer response. Returns it, and changes the store.
    @discardableResult
    func update(
        _ stored: StoredResponse, with response: HTTPResponse, sentAt start: HTTPCacheInterceptor.Start
    ) -> StoredResponse {
        let headers = response.headers
        let end = cache.moment
        let updated = cache.updated(stored, with: headers, for: request, requestTime: start.time, responseTime: end)
        let keeping = ResponseStoring(cache: cache, request: request, context: context, key: key, start: start)
        // Headers that are meant for one user must not be stored for all.
        guard keeping.unseen(response) == nil else { return updated }
        let places = cache.places(of: key, to: request, tags: stored.tags)
        let (cache, request, context) = (cache, request, context)
        cache.responseStore.change(
            key,
            if: ChangeLog.Guard(log: cache.changes, places: places, mark: start.mark, moment: start.moment),
            report: { outcome in
                if let error = outcome.error { cache.tell(.failed(error), request, context) }
            }
        ) { responses in
            guard responses.contains(where: { $0.id == stored.id }) else { return nil }
            return responses.compactMap { response in
                // Another call may have updated the response since, with newer headers.
                let isNewer = response.requestTime != stored.requestTime && response.requestTime > start.time
                guard response.id == stored.id, !isNewer else { return response }
                let newer = cache.updated(
                    response, with: headers, for: request, requestTime: start.time, responseTime: end)
                return newer.staysKept ? newer : nil
            }
        }
        return updated
    }

    /// Requests the missing bytes of a stored body, and returns the complete response.
    func complete(
        _ stored: StoredResponse, _ gap: Range<Int>, _ explanation: CacheExplanation
    ) async throws -> HTTPResponse {
        let start = await cache.start(key, context)
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
        let keeping = ResponseStoring(cache: cache, request: ranged, context: context, key: key, start: start)
        guard keeping.keep(&part) == nil, let whole = await whole(like: stored),
            let body = await open(whole, .whole)
        else { return try await fetch(explanation) }
        cache.explain(explanation, context)
        var response = head(whole, .whole)
        response.metrics = received.metrics
        if let all = try await deliver(response, whole, body) { return all }
        return try await fetch(explanation)
    }

    /// Returns the complete response that a stored part has become; nil if it is not complete.
    private func whole(like part: StoredResponse) async -> StoredResponse? {
        let responses = (try? await cache.responseStore.responses(for: key)) ?? []
        return responses.first { response in
            response.status == .ok && response.content.isComplete && response.matches(request.headers)
                && ValidationOutcome.areParts(part, response)
        }
    }
}

/// A revalidation in the background, which only changes the store.
struct CacheRefresh: Sendable {
    let exchange: CacheExchange

    /// Revalidates a stored response. Returns the response of the server, without the body that has been read.
    ///
    /// - Parameter mark: The mark at which the refresh was queued. If the response has been removed since, the refresh
    ///   is cancelled, because it could restore a response for a user who has signed out.
    func run(_ stored: StoredResponse, since mark: Int) async throws -> HTTPResponse {
        let cache = exchange.cache
        let since = await cache.responseStore.shared.moment(
            for: exchange.key, tags: stored.tags.union([cache.identity.tag]))
        let current = try await cache.responseStore.responses(for: exchange.key).first { $0.id == stored.id }
        // Another call may have refreshed the response since.
        let places = cache.places(of: exchange.key, to: exchange.request, tags: stored.tags)
        guard current?.responseTime == stored.responseTime, !cache.changes.hasChanged(places, since: mark)
        else { throw CancellationError() }
        let start = HTTPCacheInterceptor.Start(
            time: cache.moment, mark: mark, moment: since, sentCount: exchange.context.core.attemptCount)
        var request = exchange.request
        for name in ["If-None-Match", "If-Modified-Since", "Range", "If-Range"] { request.headers.remove(name) }
        request.method = .get
        let fields = RequestFields(request.headers)
        var response = try await exchange.send(
            exchange.isNamed ? request : ConditionalRequest.validating(stored, request, fields: fields), for: .refresh)
        let status = response.status
        switch ValidationOutcome.of(stored, status: status, headers: response.headers, fields: fields) {
        case .confirmed:
            try? await response.collect(upTo: 64 << 10)
            exchange.update(stored, with: response, sentAt: start)
        case .confirmsCaller, .confirmsNothing:
            response.stream.cancel()
        case .replaced:
            guard !StaleRule.isServerError(status) else {
                response.stream.cancel()
                break
            }
            let keeping = ResponseStoring(
                cache: cache, request: request, context: exchange.context, key: exchange.key, start: start)
            _ = keeping.keep(&response)
            // Reading the body records it.
            for try await _ in response.stream {}
            if let ending = response.stream.ending { response.metrics = ending.metrics }
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

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension CacheExchange {
    /// Asks the server whether a stored response is right (RFC 9111, 4.3), and answers with that or with what it says instead.
    func validate(
        _ stored: StoredResponse, _ selection: Selection, _ body: StoredBody, _ explanation: CacheExplanation
    ) async throws -> HTTPResponse {
        let start = cache.start(context)
        var answer: HTTPResponse
        do {
            answer = try await ask(
                isNamed ? request : ConditionalRequest.validating(stored, request, fields: fields), for: .validation)
        } catch {
            guard let failure = StaleRule.failure(error), let reason = staleReason(failure, stored),
                let kept = try await serve(stored, selection, body, explanation.with(.cached, reason))
            else {
                cache.explain(explanation, context)
                throw error
            }
            return kept
        }
        if StaleRule.isServerError(answer.status), let reason = staleReason(.serverError, stored),
            let kept = try await serve(stored, selection, body, explanation.with(.cached, reason))
        {
            answer.stream.cancel()
            return kept
        }
        switch ValidationOutcome.of(stored, status: answer.status, headers: answer.headers, fields: fields) {
        case .confirmed:
            try? await answer.collect(upTo: 64 << 10)
            let updated = update(stored, with: answer, sentAt: start)
            if let response = try await deliverConfirmed(updated, selection, body, answer, explanation) {
                return response
            }
            cache.tell(.missed(.unusable), request, context)
            return try await fetch(explanation.with(.fetched, .bodyMissing))
        case .callersIsRight:
            cache.explain(explanation, context)
            return answer
        case .confirmsNothing:
            try? await answer.collect(upTo: 64 << 10)
            cache.tell(.missed(.expired), request, context)
            return try await fetch(explanation)
        case .replaced:
            // Where it was given before, and this is what comes after it, it was a hit.
            let wasGiven = context.core.plan.follows && staleReason(.disconnected, stored) != nil
            if !wasGiven { cache.tell(.missed(.expired), request, context) }
            return receive(answer, sentAt: start, explanation)
        }
    }

    private func deliverConfirmed(
        _ stored: StoredResponse, _ selection: Selection, _ body: StoredBody, _ answer: HTTPResponse,
        _ explanation: CacheExplanation
    ) async throws -> HTTPResponse? {
        var response = head(stored, selection)
        response.headers.fields += StoredFields.passing(answer.headers, beside: stored.headers)
        response.source = .validated
        response.metrics = answer.metrics
        guard let answer = try await deliver(response, stored, body) else { return nil }
        let explanation = explanation.with(.revalidated, explanation.reason)
        cache.explain(explanation, context)
        cache.tell(.revalidated(explanation), request, context)
        return answer
    }

    private func staleReason(_ failure: StaleRule.Failure, _ stored: StoredResponse) -> CacheExplanation.Reason? {
        StaleRule.reason(
            failure, stored: stored, directives: fields.directives, situation: situation(at: cache.moment))
    }

    /// Takes over what a newer response says about a stored one, here and in the store.
    @discardableResult
    func update(
        _ stored: StoredResponse, with response: HTTPResponse, sentAt start: HTTPCacheInterceptor.Start
    ) -> StoredResponse {
        let headers = response.headers
        let end = cache.moment
        let updated = cache.updated(stored, with: headers, for: request, requestTime: start.time, responseTime: end)
        let keeping = ResponseStoring(cache: cache, request: request, context: context, key: key, start: start)
        // What it says to one user is not for all.
        guard keeping.unseen(response) == nil else { return updated }
        let places = cache.places(of: key, to: request, tags: stored.tags)
        let (cache, request, context) = (cache, request, context)
        cache.responseStore.change(
            key, if: ChangeLog.Guard(log: cache.changes, places: places, mark: start.mark),
            report: { outcome in
                if let error = outcome.error { cache.tell(.failed(error), request, context) }
            }
        ) { responses in
            guard responses.contains(where: { $0.id == stored.id }) else { return nil }
            return responses.compactMap { response in
                // Others may have found out more about it meanwhile, and newer things.
                let isNewer = response.requestTime != stored.requestTime && response.requestTime > start.time
                guard response.id == stored.id, !isNewer else { return response }
                let newer = cache.updated(
                    response, with: headers, for: request, requestTime: start.time, responseTime: end)
                return newer.staysKept ? newer : nil
            }
        }
        return updated
    }

    /// Asks for the bytes that are missing of a stored body, and answers with all of it.
    func complete(
        _ stored: StoredResponse, _ gap: Range<Int>, _ explanation: CacheExplanation
    ) async throws -> HTTPResponse {
        let start = cache.start(context)
        let answer = try await ask(ConditionalRequest.completing(stored, gap, request), for: .completion)
        guard answer.status == .partialContent else {
            // The server has something else by now, and sent all of that, or nothing that helps.
            guard answer.status == .rangeNotSatisfiable else {
                return receive(answer, sentAt: start, explanation)
            }
            return try await fetch(explanation)
        }
        var ranged = request
        ranged.headers.set(name: "Range", value: "bytes=\(gap.lowerBound)-\(gap.upperBound - 1)")
        var part = answer
        let keeping = ResponseStoring(cache: cache, request: ranged, context: context, key: key, start: start)
        guard keeping.keep(&part) == nil, let whole = await whole(like: stored),
            let body = await open(whole, .whole)
        else { return try await fetch(explanation) }
        cache.explain(explanation, context)
        var response = head(whole, .whole)
        response.metrics = answer.metrics
        if let all = try await deliver(response, whole, body) { return all }
        return try await fetch(explanation)
    }

    /// The complete response that a stored part has become, if it has.
    private func whole(like part: StoredResponse) async -> StoredResponse? {
        let responses = (try? await cache.responseStore.responses(for: key)) ?? []
        return responses.first { response in
            response.status == .ok && response.content.isComplete && response.matches(request.headers)
                && ValidationOutcome.areParts(part, response)
        }
    }
}

/// A validation for nobody: what it says is kept, and that is all.
struct CacheRefresh: Sendable {
    let exchange: CacheExchange

    /// Asks again, and returns the server's answer, read and without its body.
    ///
    /// - Parameter mark: What was removed since then, while it waited for its turn, is not asked for: that might bring back
    ///   what belongs to somebody who has signed out.
    func run(_ stored: StoredResponse, since mark: Int) async throws -> HTTPResponse {
        let cache = exchange.cache
        let kept = try await cache.responseStore.responses(for: exchange.key).first { $0.id == stored.id }
        // Nor is what somebody else has asked for by now.
        let places = cache.places(of: exchange.key, to: exchange.request, tags: stored.tags)
        guard kept?.responseTime == stored.responseTime, !cache.changes.hasChanged(places, since: mark)
        else { throw CancellationError() }
        let start = HTTPCacheInterceptor.Start(
            time: cache.moment, mark: mark, sentCount: exchange.context.core.attemptCount)
        var request = exchange.request
        for name in ["If-None-Match", "If-Modified-Since", "Range", "If-Range"] { request.headers.remove(name) }
        request.method = .get
        let fields = RequestFields(request.headers)
        var answer = try await exchange.ask(
            exchange.isNamed ? request : ConditionalRequest.validating(stored, request, fields: fields), for: .refresh)
        let status = answer.status
        switch ValidationOutcome.of(stored, status: status, headers: answer.headers, fields: fields) {
        case .confirmed:
            try? await answer.collect(upTo: 64 << 10)
            exchange.update(stored, with: answer, sentAt: start)
        case .callersIsRight, .confirmsNothing:
            answer.stream.cancel()
        case .replaced:
            guard !StaleRule.isServerError(status) else {
                answer.stream.cancel()
                break
            }
            let keeping = ResponseStoring(
                cache: cache, request: request, context: exchange.context, key: exchange.key, start: start)
            _ = keeping.keep(&answer)
            // Recorded while it is read.
            for try await _ in answer.stream {}
            if let ending = answer.stream.ending { answer.metrics = ending.metrics }
        }
        return HTTPResponse(
            status: answer.status, reason: answer.reason, version: answer.version, headers: answer.headers,
            request: answer.request, metrics: answer.metrics)
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

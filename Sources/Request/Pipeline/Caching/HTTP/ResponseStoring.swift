/// Caches the response to one request, at once or while its body is read. The caller does not wait for the store.
struct ResponseStoring: Sendable {
    let exchange: CacheExchange
    let request: HTTPRequest
    let start: CacheExchange.Start

    /// Caches a response if it may be cached. A streamed body is replaced by one that is recorded while it is read.
    ///
    /// - Returns: The reason not to cache it; nil if it is cached, or will be once its body has been read.
    func store(_ response: inout HTTPResponse) -> CacheExplanation.Reason? {
        if request.method == .head {
            learn(from: response)
            return .methodNotStored
        }
        if let reason = difference(response) {
            exchange.notify(.notStored(exchange.key, reason))
            return reason
        }
        switch Storability.of(request, status: response.status, headers: response.headers) {
        case .no(let reason):
            forgetObsolete(response.status, reason)
            return reason
        case .yes: break
        }
        guard let head = exchange.edited(makeHead(response)) else { return .rejectedByOverride }
        guard response.isStreaming else { return store(head, head.body ?? Data()) }
        record(&response, head)
        return nil
    }

    private func difference(_ response: HTTPResponse) -> CacheExplanation.Reason? {
        exchange.difference(response, to: request, after: start.sentCount)
    }

    private func makeHead(_ response: HTTPResponse) -> StoredResponse {
        let now = exchange.now
        let directives = ResponseDirectives(response.headers)
        // A stored body begins at index 0.
        let body = response.isStreaming || response.body.startIndex == 0 ? response.body : response.body.copied()
        return StoredResponse(
            status: response.status, reason: response.reason, version: response.version,
            headers: StoredFields.of(response.headers, directives: directives, now: now), requestTime: start.time,
            responseTime: now, selecting: exchange.selecting(response.headers, for: request), tags: exchange.tags,
            content: StoredContent(body))
    }

    private func condition(_ tags: Set<String>) -> ChangeLog.Guard {
        exchange.condition(since: start, for: request, tags: tags)
    }

    // MARK: Storing a body

    private func store(_ head: StoredResponse, _ body: Data) -> CacheExplanation.Reason? {
        guard let content = content(of: head, count: body.count, isComplete: true) else { return .incomplete }
        return commit(head, content, .here(body), count: body.count) ? nil : .storeFailed
    }

    private func record(_ response: inout HTTPResponse, _ head: StoredResponse) {
        let recorder = BodyRecorder(exchange.store, exchange.key, tags: head.tags, if: condition(head.tags))
        response.stream = BodyStream(
            RecordedBody(response.stream, recorder: recorder) { recorder, isComplete in
                guard let content = content(of: head, count: recorder.count, isComplete: isComplete) else {
                    return recorder.abandon()
                }
                await recorder.end { place in
                    if let place {
                        _ = commit(head, content, place, count: recorder.count)
                    } else {
                        if let failure = recorder.failure { exchange.notifyFailure(failure) }
                        if recorder.count == content.total { forget(replacedBy: head) }
                    }
                }
            })
    }

    /// Returns the position of the recorded bytes in the complete body; nil if they are not worth storing.
    private func content(
        of head: StoredResponse, count: Int, isComplete: Bool
    ) -> (first: Int, total: Int?, asked: String?)? {
        let length = head.headers["Content-Length"].flatMap { ContentRange.place($0) }
        if head.status == .partialContent {
            guard isComplete, count > 0, length == nil || length == count,
                let range = ContentRange(head.headers["Content-Range"] ?? ""), count <= range.bytes.count
            else { return nil }
            return (range.bytes.lowerBound, range.total, request.headers["Range"])
        }
        // A body that has its Content-Length is complete, even if the end of the stream was not read.
        if length.map({ $0 == count }) ?? isComplete { return (0, count, nil) }
        if isComplete { return nil }
        // This is the beginning of a body whose remainder can be requested later.
        guard head.status == .ok, let length, count > 0, count < length, let tag = head.facts.tag, !tag.isWeak,
            !head.headers.contains("Content-Encoding")
        else { return nil }
        return (0, length, nil)
    }

    /// Passes a response to the store. Returns false if there is no room for it.
    ///
    /// Then the responses that it would have replaced are removed, because they are obsolete.
    private func commit(
        _ head: StoredResponse, _ content: (first: Int, total: Int?, asked: String?), _ place: StoredContent.Part.Place,
        count: Int
    ) -> Bool {
        let part = StoredContent.Part(bytes: content.first..<(content.first + count), place: place)
        var response = head
        response.content = StoredContent(parts: [part], total: content.total, asked: content.asked)
        if head.status == .ok, !response.content.isComplete { response = response.asPart() }
        let new = response
        let headers = request.headers
        let now = exchange.now
        let isOlder = isOlder
        return exchange.store.change(
            exchange.key, if: condition(head.tags), cost: new.content.bytesHere,
            report: { outcome in committed(outcome, place) },
            instead: { stored in
                head.status == .partialContent ? nil : stored.filter { !isOlder($0) }
            },
            { stored in Replacement.of(stored, with: new, headers: headers, now: now) })
    }

    private func committed(_ outcome: StoreChange.Outcome, _ place: StoredContent.Part.Place) {
        if case .done = outcome { return exchange.notify(.stored(exchange.key)) }
        if case .apart(let name) = place { exchange.store.removeBody(name, of: exchange.key) }
        guard let error = outcome.error else { return }
        if var explanation = exchange.core.explanation {
            explanation.notStored = .storeFailed
            CallCache(core: exchange.core).explain(explanation)
        }
        exchange.notify(.failed(exchange.key, error))
    }

    /// Removes the responses that a response would have replaced if it had been cached: they are obsolete.
    /// A partial response makes none obsolete.
    private func forget(replacedBy head: StoredResponse) {
        if head.status != .partialContent, request.method == .get { forgetMatching() }
    }

    // MARK: Changing stored responses

    /// Updates the stored responses with the headers of the response to a HEAD (RFC 9111, 4.3.5).
    private func learn(from response: HTTPResponse) {
        // If the request has a key of its own, the stored response may come from another URL.
        guard response.status == .ok, difference(response) == nil, exchange.plan.httpKey?.own == nil else { return }
        let headers = response.headers
        let end = exchange.now
        let (request, exchange, start) = (request, exchange, start.time)
        exchange.store.change(exchange.key, if: condition(exchange.tags), report: exchange.report()) { stored in
            guard !stored.isEmpty else { return nil }
            return stored.compactMap { response in
                guard response.matches(request.headers), response.status == .ok,
                    !response.wasAskedFor(after: start, now: end)
                else { return response }
                guard ValidationOutcome.headConfirms(response, headers: headers) else { return nil }
                let newer = exchange.updated(
                    response, with: headers, for: request, requestTime: start, responseTime: end)
                return newer.staysStored ? newer : nil
            }
        }
    }

    /// Removes the responses that are obsolete because of a response that is not cached itself.
    private func forgetObsolete(_ status: HTTPStatus, _ reason: CacheExplanation.Reason) {
        guard reason != .requestNoStore, request.method == .get else { return }
        switch status.code {
        case 200...205, 301, 308, 404, 410: break
        default: return
        }
        forgetMatching()
    }

    /// Removes the older responses to the request. Older responses in flight are not cached.
    private func forgetMatching() {
        exchange.changes.note([.key(exchange.key)], asOf: start.mark)
        let isOlder = isOlder
        let report = exchange.report(.evicted(exchange.key, .obsolete))
        exchange.store.change(exchange.key, report: report) { stored in
            stored.contains(where: isOlder) ? stored.filter { !isOlder($0) } : nil
        }
    }

    private var isOlder: @Sendable (StoredResponse) -> Bool {
        let (headers, time, now) = (request.headers, start.time, exchange.now)
        return { stored in stored.matches(headers) && !stored.wasAskedFor(after: time, now: now) }
    }
}

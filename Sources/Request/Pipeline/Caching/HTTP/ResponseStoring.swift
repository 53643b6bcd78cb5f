/// Caches the response to one request, at once or while its body is read. The caller does not wait for the store.
struct ResponseStoring: Sendable {
    let cache: HTTPCacheInterceptor
    let request: HTTPRequest
    let context: CallContext
    let key: CacheKey
    let start: HTTPCacheInterceptor.Start

    /// Caches a response if it may be cached. A streamed body is replaced by one that is recorded while it is read.
    ///
    /// - Returns: The reason not to cache it; nil if it is cached, or will be once its body has been read.
    func keep(_ response: inout HTTPResponse) -> CacheExplanation.Reason? {
        if request.method == .head {
            learn(from: response)
            return .methodNotStored
        }
        if let reason = unseen(response) {
            cache.tell(.notStored(reason), request, context)
            return reason
        }
        switch Storability.of(request, status: response.status, headers: response.headers) {
        case .no(let reason):
            forgetObsolete(response.status, reason)
            return reason
        case .yes: break
        }
        var storable = response
        if let willStore = cache.hooks.willStore {
            guard let edited = willStore(response, request, context) else { return .rejectedByOverride }
            storable = edited
        }
        let head = makeHead(storable)
        guard response.isStreaming else { return keep(head, storable.body) }
        record(&response, head)
        return nil
    }

    /// Returns the reason not to store a response that depends on changes by interceptors behind the cache, or nil.
    func unseen(_ response: HTTPResponse) -> CacheExplanation.Reason? {
        let sent = context.core.sent(after: start.sentCount)
        return SentRequests.difference(
            from: request, sent, response: response.headers, hasIdentity: cache.identity.name != nil)?.reason
    }

    private func makeHead(_ response: HTTPResponse) -> StoredResponse {
        let now = cache.moment
        let directives = ResponseDirectives(response.headers)
        return StoredResponse(
            status: response.status, reason: response.reason, version: response.version,
            headers: StoredFields.of(response.headers, directives: directives, now: now), requestTime: start.time,
            responseTime: now, selecting: cache.selecting(response.headers, for: request), tags: tags)
    }

    private var tags: Set<String> { cache.tags(of: key, context) }

    /// A condition that holds until a change makes the response obsolete.
    private var isWanted: ChangeLog.Guard {
        ChangeLog.Guard(
            log: cache.changes, places: cache.places(of: key, to: request, tags: tags), mark: start.mark,
            moment: start.moment)
    }

    // MARK: Storing a body

    private func keep(_ head: StoredResponse, _ body: Data) -> CacheExplanation.Reason? {
        guard let content = content(of: head, count: body.count, isComplete: true) else { return .incomplete }
        // Offsets into the data are counted from zero.
        let data = body.startIndex == 0 ? body : Data(body)
        return commit(head, content, .here(data), count: data.count) ? nil : .storeFailed
    }

    private func record(_ response: inout HTTPResponse, _ head: StoredResponse) {
        let recorder = BodyRecorder(cache.responseStore, key, tags: tags)
        response.stream = BodyStream(
            RecordedBody(response.stream, recorder: recorder) { recorder, isComplete in
                guard let content = content(of: head, count: recorder.count, isComplete: isComplete) else {
                    return recorder.abandon()
                }
                await recorder.end { place in
                    if let place {
                        _ = commit(head, content, place, count: recorder.count)
                    } else {
                        if let failure = recorder.failure, !(failure is CancellationError) {
                            cache.tell(.failed(failure), request, context)
                        }
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
        let now = cache.moment
        let isOlder = isOlder
        return cache.responseStore.change(
            key, if: isWanted, cost: new.content.bytesHere,
            report: { outcome in committed(outcome, place) },
            instead: { stored in
                head.status == .partialContent ? nil : stored.filter { !isOlder($0) }
            },
            { stored in Replacement.of(stored, with: new, headers: headers, now: now) })
    }

    private func committed(_ outcome: StoreChange.Outcome, _ place: StoredContent.Part.Place) {
        if case .done = outcome { return cache.tell(.stored, request, context) }
        if case .apart(let name) = place { cache.responseStore.removeBody(name, of: key) }
        guard let error = outcome.error else { return }
        cache.tell(.failed(error), request, context)
        guard var explanation = context.core.explanation else { return }
        explanation.notStored = .storeFailed
        cache.explain(explanation, context)
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
        guard response.status == .ok, unseen(response) == nil, context.core.plan.httpKey?.own == nil else { return }
        let headers = response.headers
        let end = cache.moment
        let (request, cache, start) = (request, cache, start.time)
        cache.responseStore.change(key, if: isWanted, report: reportFailure) { stored in
            guard !stored.isEmpty else { return nil }
            return stored.compactMap { response in
                guard response.matches(request.headers), response.status == .ok,
                    !response.wasAskedFor(after: start, now: end)
                else { return response }
                guard ValidationOutcome.headConfirms(response, headers: headers) else { return nil }
                let newer = cache.updated(
                    response, with: headers, for: request, requestTime: start, responseTime: end)
                return newer.staysKept ? newer : nil
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
        cache.changes.note([.key(key)], asOf: start.mark)
        let isOlder = isOlder
        cache.responseStore.change(
            key,
            report: { outcome in
                if case .done = outcome { cache.tell(.removed, request, context) }
                reportFailure(outcome)
            }
        ) { stored in
            stored.contains(where: isOlder) ? stored.filter { !isOlder($0) } : nil
        }
    }

    private var isOlder: @Sendable (StoredResponse) -> Bool {
        let (headers, time, now) = (request.headers, start.time, cache.moment)
        return { stored in stored.matches(headers) && !stored.wasAskedFor(after: time, now: now) }
    }

    private func reportFailure(_ outcome: StoreChange.Outcome) {
        if let error = outcome.error { cache.tell(.failed(error), request, context) }
    }
}

/// The run of one GET or HEAD through the HTTP cache.
struct CacheExchange: Sendable {
    let cache: HTTPCacheInterceptor
    let request: HTTPRequest
    let context: CallContext
    let next: Next
    let mode: HTTPCacheInterceptor.Mode
    let key: CacheKey
    let fields: RequestFields

    init(
        cache: HTTPCacheInterceptor, request: HTTPRequest, context: CallContext, next: Next,
        mode: HTTPCacheInterceptor.Mode
    ) {
        self.cache = cache
        self.request = request
        self.context = context
        self.next = next
        self.mode = mode
        key = cache.key(request, context)
        fields = RequestFields(request.headers)
    }

    /// A Boolean value that indicates whether the request has a key of its own.
    ///
    /// Then the stored response may come from another URL, so its validators and parts are not used.
    var isNamed: Bool { context.core.plan.httpKey?.own != nil }

    func run() async throws -> HTTPResponse {
        var stored = await responses()
        var isBodyMissing = false
        while true {
            switch decision(about: stored) {
            case .serve(let place, let selection, let explanation):
                guard let body = await open(stored[place], selection),
                    let response = try await serve(stored[place], selection, body, explanation)
                else {
                    isBodyMissing = true
                    stored.remove(at: place)
                    continue
                }
                if explanation.outcome == .cachedAndRefreshing { refresh(stored[place]) }
                return response
            case .validate(let place, let selection, let explanation):
                guard let body = await open(stored[place], selection) else {
                    isBodyMissing = true
                    stored.remove(at: place)
                    continue
                }
                return try await validate(stored[place], selection, body, explanation)
            case .complete(let place, let gap, let explanation):
                guard !isNamed else { return try await fetch(explanation) }
                return try await complete(stored[place], gap, explanation)
            case .fetch(var explanation):
                if isBodyMissing { explanation.reason = .bodyMissing }
                if let reason = explanation.reason.missReason { cache.tell(.missed(reason), request, context) }
                return try await fetch(explanation)
            case .refuse(let explanation):
                cache.explain(explanation, context)
                return HTTPResponse(
                    status: .gatewayTimeout, reason: "Gateway Timeout", headers: [:], request: request)
            }
        }
    }

    /// Returns a cached response that may be served without a request; nil if there is none.
    ///
    /// - Parameter isStale: True to return only a stale response, false to return only a fresh one.
    func cached(isStale: Bool) async throws -> HTTPResponse? {
        let stored = await responses()
        let decision = CacheDecision.of(
            stored, method: request.method, headers: request.headers, fields: fields,
            situation: situation(at: cache.moment))
        guard case .serve(let place, let selection, let explanation) = decision, explanation.isStale == isStale,
            let body = await open(stored[place], selection)
        else { return nil }
        return try await serve(stored[place], selection, body, explanation)
    }

    /// Returns the decision about the request. The connectivity is consulted only if the decision depends on it.
    private func decision(about stored: [StoredResponse]) -> CacheDecision {
        var situation = situation(at: cache.moment)
        func decision() -> CacheDecision {
            CacheDecision.of(
                stored, method: request.method, headers: request.headers, fields: fields, situation: situation)
        }
        let decided = decision()
        guard decided.usesServer, !situation.isOffline, cache.isOffline(request) else { return decided }
        situation.isOffline = true
        return decision()
    }

    private func responses() async -> [StoredResponse] {
        do {
            return try await cache.responseStore.responses(for: key)
        } catch {
            if !(error is CancellationError) { cache.tell(.failed(error), request, context) }
            return []
        }
    }

    func situation(at now: Double) -> CacheSituation {
        var completes = false
        if case .whole = context.options.delivery { completes = true }
        return CacheSituation(
            now: now, isOffline: mode.isOffline, servesStaleOffline: mode.servesStaleOffline,
            refreshesLater: mode.refreshesLater, completesParts: completes,
            heuristicFreshness: cache.heuristicFreshness)
    }

    /// Opens the selected bytes of a stored response. Returns nil if they are not in the store.
    func open(_ stored: StoredResponse, _ selection: Selection) async -> StoredBody? {
        guard request.method != .head else { return .empty }
        let range: Range<Int>
        switch selection {
        case .whole: range = 0..<(stored.content.total ?? 0)
        case .part(let part): range = part
        case .same:
            guard let part = stored.content.parts.first else { return nil }
            range = part.bytes
        case .nothing: return nil
        }
        if range.isEmpty { return .empty }
        do {
            return try await StoredBody(stored.content, range, of: key, in: cache.responseStore.store)
        } catch {
            if !(error is CancellationError) { cache.tell(.failed(error), request, context) }
            return nil
        }
    }

    // MARK: Serving from the store

    /// Returns a stored response; nil if its body cannot be read.
    func serve(
        _ stored: StoredResponse, _ selection: Selection, _ body: StoredBody, _ explanation: CacheExplanation
    ) async throws -> HTTPResponse? {
        let age = stored.age(at: cache.moment) ?? 0
        var response = head(stored, selection)
        response.mark(age: age, isStale: explanation.isStale)
        guard let delivered = try await deliver(response, stored, body) else { return nil }
        cache.explain(explanation, context)
        cache.tell(.hit(explanation), request, context)
        return delivered
    }

    /// Returns the head of a stored response, as that of a 206 if a part is selected.
    func head(_ stored: StoredResponse, _ selection: Selection) -> HTTPResponse {
        var response = HTTPResponse(
            status: stored.status, reason: stored.reason, version: stored.version, headers: stored.headers,
            request: request)
        if case .part(let range) = selection {
            response.status = .partialContent
            if stored.status != .partialContent { response.reason = "Partial Content" }
            let part = ContentRange(bytes: range, total: stored.content.total)
            response.headers.set(name: "Content-Range", value: part.text)
            response.headers.set(name: "Content-Length", value: String(range.count))
        }
        return response
    }

    /// Returns a response with its body: a 304 if the caller already has the body, and only the head for a HEAD.
    ///
    /// Returns nil if the store fails to read the body. A streamed body fails later, while the caller reads it.
    func deliver(_ response: HTTPResponse, _ stored: StoredResponse, _ body: StoredBody) async throws -> HTTPResponse? {
        var response = response
        if ConditionalRequest.isNotModified(stored, fields: fields, now: cache.moment) {
            response.status = .notModified
            response.reason = "Not Modified"
            response.headers = ConditionalRequest.notModifiedHeaders(response.headers)
            return response
        }
        guard request.method != .head else { return response }
        switch context.options.delivery {
        case .whole(let limit):
            if let data = body.data { response.body = data } else { response.stream = BodyStream(body.source) }
            do {
                try await response.collect(upTo: limit)
            } catch {
                // An exceeded limit and a cancellation are not failures of the store.
                if error is RequestError || error is CancellationError { throw error }
                cache.tell(.failed(error), request, context)
                return nil
            }
        case .stream:
            if let data = body.data { response.body = data } else { response.stream = BodyStream(body.source) }
        }
        return response
    }

    // MARK: Sending the request

    func fetch(_ explanation: CacheExplanation) async throws -> HTTPResponse {
        let start = await cache.start(key, context)
        cache.explain(explanation, context)
        return receive(try await send(request), sentAt: start, explanation)
    }

    /// Sends a request, and clears the site in the cache if the response requires it.
    func send(_ request: HTTPRequest, for cause: Attempt.Cause? = nil) async throws -> HTTPResponse {
        let next = cause.map { self.next.attempting($0) } ?? next
        let response = try await next(request)
        cache.clearSite(request, response.headers, context)
        return response
    }

    /// Stores a response of the server if it may be stored. Otherwise the explanation gets the reason.
    func receive(
        _ response: HTTPResponse, sentAt start: HTTPCacheInterceptor.Start, _ explanation: CacheExplanation
    ) -> HTTPResponse {
        var response = response
        var explanation = explanation
        let keeping = ResponseStoring(cache: cache, request: request, context: context, key: key, start: start)
        cache.explain(explanation, context)
        if let reason = keeping.keep(&response) {
            explanation.notStored = reason
            cache.explain(explanation, context)
        }
        return response
    }

    private func refresh(_ stored: StoredResponse) {
        let name = HTTPCacheKey.body(String(stored.id, radix: 16), of: key)
        let mark = cache.changes.begin()
        let isStarted = cache.refresher.start(name) { isWanted in
            do {
                guard isWanted else { throw CancellationError() }
                let refresh = CacheRefresh(exchange: self)
                let response = try await refresh.run(stored, since: mark)
                cache.tell(.refreshed(.success(response)), request, context)
            } catch {
                cache.tell(.refreshed(.failure(error)), request, context)
            }
        }
        if isStarted { cache.tell(.willRefresh, request, context) }
    }
}

extension CacheExplanation.Reason {
    /// The reason for a miss; nil if a request is sent for another reason.
    fileprivate var missReason: CacheActivity.Reason? {
        switch self {
        case .nothingStored, .rangeNotStored: .absent
        case .noVariant: .otherVariant
        case .bodyMissing: .unusable
        default: nil
        }
    }
}

extension HTTPResponse {
    /// Marks the response as a cached one, with its age.
    mutating func mark(age: Double, isStale: Bool) {
        headers.set(name: "Age", value: String(Int(age)))
        source = .cache(age: .seconds(age), isStale: isStale)
    }
}

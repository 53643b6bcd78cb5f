/// The exchange of one GET or HEAD under the rules of HTTP.
struct MessageExchange: Sendable {
    let cache: HTTPCacheInterceptor
    let exchange: CacheExchange
    let request: HTTPRequest
    let context: CallContext
    let next: Next
    let fields: RequestFields

    init(_ cache: HTTPCacheInterceptor, _ request: HTTPRequest, _ context: CallContext, _ next: Next) {
        self.cache = cache
        self.request = request
        self.context = context
        self.next = next
        exchange = cache.exchange(request, context.core)
        fields = RequestFields(request.headers)
    }

    var key: CacheKey { exchange.key }

    /// A Boolean value that indicates whether the request has a key of its own.
    ///
    /// Then the stored response may come from another URL, so its validators and parts are not used.
    var isNamed: Bool { exchange.plan.httpKey?.own != nil }

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
                if let reason = explanation.reason.missReason { exchange.notify(.miss(key, reason)) }
                return try await fetch(explanation)
            case .refuse(let explanation):
                explain(explanation)
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
        let situation = CacheSituation(
            now: exchange.now, isOffline: isStale, completesParts: completesParts,
            heuristicFreshness: cache.heuristicFreshness)
        guard case .serve(let place, let selection, let explanation) = decision(about: stored, in: situation),
            explanation.isStale == isStale,
            let body = await open(stored[place], selection)
        else { return nil }
        return try await serve(stored[place], selection, body, explanation)
    }

    /// Returns the decision about the request. The connectivity is consulted only if the decision depends on it.
    private func decision(about stored: [StoredResponse]) -> CacheDecision {
        var situation = situation
        let decided = decision(about: stored, in: situation)
        guard decided.usesServer, cache.isOffline(request) else { return decided }
        situation.isOffline = true
        return decision(about: stored, in: situation)
    }

    private func decision(about stored: [StoredResponse], in situation: CacheSituation) -> CacheDecision {
        CacheDecision.of(
            stored, method: request.method, headers: request.headers, fields: fields, situation: situation)
    }

    private func responses() async -> [StoredResponse] {
        (try? await exchange.responses())?.all ?? []
    }

    var situation: CacheSituation {
        CacheSituation(
            now: exchange.now, servesStaleOffline: exchange.plan.cachePolicy.servesStaleOffline,
            refreshesLater: !exchange.plan.follows, completesParts: completesParts,
            heuristicFreshness: cache.heuristicFreshness)
    }

    private var completesParts: Bool {
        if case .whole = context.options.delivery { true } else { false }
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
            return try await StoredBody(stored.content, range, of: key, in: exchange.store.store)
        } catch {
            exchange.notifyFailure(error)
            return nil
        }
    }

    // MARK: Serving from the store

    /// Returns a stored response; nil if its body cannot be read.
    func serve(
        _ stored: StoredResponse, _ selection: Selection, _ body: StoredBody, _ explanation: CacheExplanation
    ) async throws -> HTTPResponse? {
        let age = stored.age(at: exchange.now) ?? 0
        var response = head(stored, selection)
        response.mark(age: age, isStale: explanation.isStale)
        guard let delivered = try await deliver(response, stored, body) else { return nil }
        explain(explanation)
        exchange.notify(.hit(key, age: explanation.age ?? .zero))
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
        if ConditionalRequest.isNotModified(stored, fields: fields, now: exchange.now) {
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
                exchange.notify(.failed(key, error))
                return nil
            }
        case .stream:
            if let data = body.data { response.body = data } else { response.stream = BodyStream(body.source) }
        }
        return response
    }

    // MARK: Sending the request

    func fetch(_ explanation: CacheExplanation) async throws -> HTTPResponse {
        let start = await exchange.start()
        explain(explanation)
        return receive(try await send(request), sentAt: start, explanation)
    }

    /// Sends a request, and clears the site in the cache if the response requires it.
    func send(_ request: HTTPRequest, for cause: Attempt.Cause? = nil) async throws -> HTTPResponse {
        let next = cause.map { self.next.attempting($0) } ?? next
        let response = try await next(request)
        cache.clearSite(request, response.headers, context.core)
        return response
    }

    /// Stores a response of the server if it may be stored. Otherwise the explanation gets the reason.
    func receive(
        _ response: HTTPResponse, sentAt start: CacheExchange.Start, _ explanation: CacheExplanation
    ) -> HTTPResponse {
        var response = response
        var explanation = explanation
        explain(explanation)
        if let reason = storing(request, start).store(&response) {
            explanation.notStored = reason
            explain(explanation)
        }
        return response
    }

    func storing(_ request: HTTPRequest, _ start: CacheExchange.Start) -> ResponseStoring {
        ResponseStoring(exchange: exchange, request: request, start: start)
    }

    func explain(_ explanation: CacheExplanation) {
        CallCache(core: context.core).explain(explanation)
    }

    private func refresh(_ stored: StoredResponse) {
        let name = HTTPCacheKey.body(String(stored.id, radix: 16), of: key)
        let mark = exchange.changes.begin()
        let isStarted = cache.refresher.start(name) { isWanted in
            let result: Result<HTTPResponse, any Error>
            do {
                guard isWanted else { throw CancellationError() }
                result = .success(try await refresh(stored, since: mark))
            } catch {
                result = .failure(error)
            }
            exchange.notify(.refreshed(key, result))
        }
        if isStarted { exchange.notify(.refreshing(key)) }
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

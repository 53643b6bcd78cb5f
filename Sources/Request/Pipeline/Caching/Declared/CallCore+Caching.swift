/// The use that a run makes of the store of its client, by the plan of its declared policy.
extension CallCore {
    /// The reason for a lookup.
    private enum Lookup {
        case opening
        /// The request has failed.
        case fallback(any Error)

        var isFallback: Bool {
            if case .fallback = self { true } else { false }
        }
    }

    // MARK: The beginning

    /// Serves an output from memory at once. Otherwise it takes the first step of the policy.
    func beginWithCache(_ decoder: any AnyOutputDecoder, _ outcome: any CallOutcome) {
        guard let caching = plan.caching else {
            return plan.cachePolicy.fetch == .cacheOnly ? failForNothing() : sendRequest()
        }
        let mark = caching.store.shared.changes.begin()
        if isObserved { tell(.willStart(try? plan.message())) }
        if caching.policy.readsFirst, plan.isQuick, plan.refusal == nil, let key = try? key(caching, body: .none) {
            if caching.policy.fetch == .cacheThenNetwork || caching.policy.isSliding {
                set(CachingState(key: key, mark: mark))
            }
            let present = caching.store.shared.peek(key)
            if case .found(let entry) = present, let found = found(in: entry, decoder, caching) {
                return take(found, key, caching, .opening, nil)
            }
            set(CachingState(key: key, mark: mark))
            if case .nothing = present { return miss(.absent, .opening, key, nil, caching) }
            return look(.opening, decoder, caching)
        }
        set(CachingState(mark: mark))
        if caching.policy.readsFirst { look(.opening, decoder, caching) } else { sendRequest() }
    }

    /// Returns the output that memory holds beside its response.
    private func found(
        in entry: CacheEntry, _ decoder: any AnyOutputDecoder, _ caching: CachePlan, isStale: Bool = false
    ) -> Delivered? {
        let now = plan.client.wallTime.seconds
        guard let decodingKey = ResponseReader.decodingKey(plan, caching),
            let responses = entry.object as? StoredResponses,
            let (output, place) = ResponseReader.peek(
                responses, by: decodingKey, decoder, caching.policy.hit, at: now)
        else { return nil }
        return Delivered(cached: CachedResponse(responses, place, at: now, isStale: isStale), output: output)
    }

    /// Reads the store in a task.
    private func look(_ lookup: Lookup, _ decoder: any AnyOutputDecoder, _ caching: CachePlan) {
        carry { [self] in
            do {
                let message = try plan.message()
                guard let key = try state.withLock(\.caching?.key) ?? key(caching, body: message.body) else {
                    return miss(.absent, lookup, nil, message, caching)
                }
                state.withLock { $0.caching?.key = key }
                try await read(key, message, lookup, decoder, caching)
            } catch {
                let error = complete(error)
                finish(error is CancellationError ? .cancelled : .failure, with: error)
            }
        }
    }

    private func read(
        _ key: CacheKey, _ message: HTTPRequest, _ lookup: Lookup, _ decoder: any AnyOutputDecoder, _ caching: CachePlan
    ) async throws {
        guard let responses = try await exchange(key, caching).responses() else {
            return miss(.absent, lookup, key, message, caching)
        }
        let now = plan.client.wallTime.seconds
        switch reader(decoder, caching).read(responses, for: message, isStale: lookup.isFallback, at: now) {
        case .none(let reason):
            miss(reason, lookup, key, message, caching)
        case .output(let output, let place, let decoded):
            if let decoded { caching.store.attach(decoded, under: key) }
            let cached = CachedResponse(responses, place, at: now, isStale: lookup.isFallback)
            take(Delivered(cached: cached, output: output), key, caching, lookup, message)
        }
    }

    // MARK: A cached response

    private func take(
        _ found: Delivered, _ key: CacheKey, _ caching: CachePlan, _ lookup: Lookup, _ message: HTTPRequest?
    ) {
        let (now, stored) = (plan.client.wallTime.seconds, found.cached.stored)
        keep(found.cached)
        tell(.cache(.hit(key, age: stored.times.age(at: now))))
        if caching.policy.isSliding { renew(stored, exchange(key, caching), at: now) }
        guard !lookup.isFallback, caching.policy.opening(isFound: true) == .send else {
            return finish(with: found.output)
        }
        state.withLock { $0.caching?.delivered = found }
        guard case .call(_, let outcome) = receiver, outcome.deliver(found.output) else { return }
        let slot = RefreshLimiter.Slot(sharedBy: plan.uniqueness == .join ? FlightKey(of: self) : nil)
        plan.client.refreshes.take(slot) { [self] in
            let isWanted = state.withLock { state in
                if !state.phase.isFinished { state.caching?.slot = slot }
                return !state.phase.isFinished
            }
            guard isWanted else { return false }
            tell(.cache(.refreshing(key)))
            sendRequest(sinceDelivered: stored, message)
            return true
        }
    }

    /// Sends the request for a newer response. If the delivered one has a validator, the request revalidates it.
    private func sendRequest(sinceDelivered stored: StoredResponse, _ message: HTTPRequest?) {
        // A response under a key of its own may come from another URL, with other validators.
        guard plan.caching?.ownKey == nil, let message = message ?? (plan.isQuick ? try? plan.message() : nil),
            let revalidation = stored.revalidation(of: message)
        else { return sendRequest(message) }
        state.withLock { state in
            state.caching?.isConditional = true
            state.cause = .validation
        }
        sendRequest(revalidation, isPlanned: false)
    }

    /// Ends the run if the server confirms the delivered response. Returns false for any other response.
    func takesForConfirmation(_ response: HTTPResponse, _ decoder: any AnyOutputDecoder) -> Bool {
        guard let caching = plan.caching, response.status == .notModified else { return false }
        let asked = state.withLock { state -> (Delivered?, CacheKey?)? in
            guard let caching = state.caching, caching.isConditional else { return nil }
            caching.isConditional = false
            return (caching.delivered, caching.key)
        }
        guard case (let delivered?, let key?)? = asked, let request = try? exchanged.request ?? plan.message()
        else { return false }
        // After a redirect to another URL, the response is about another resource.
        let isElsewhere = response.request.map { $0.url != request.url } ?? false
        let stored = delivered.cached.stored
        guard !isElsewhere, stored.isMeant(by: response.headers) else {
            sendRequest(ConditionalRequest.withoutConditions(request))
            return true
        }
        let now = plan.client.wallTime.seconds
        let exchange = exchange(key, caching)
        let confirmed = exchange.updated(
            stored, with: response.headers, for: request, requestTime: now, responseTime: now)
        keep(CachedResponse(confirmed: confirmed))
        let edited = exchange.difference(response, to: request) == nil ? exchange.edited(confirmed) : nil
        finish(with: delivered.output, isUnchanged: true) {
            guard let edited else { return }
            // Unless it was replaced or removed meanwhile.
            exchange.replace(
                stored, by: edited, if: condition(exchange, isResponse: true),
                keepsOutputs: edited.selecting.count == stored.selecting.count,
                report: exchange.report(.revalidated(key)))
        }
        return true
    }

    /// Leaves the slot of the refresh, so that the next one may send its request.
    func leaveRefreshing() {
        guard let caching = plan.caching, caching.policy.fetch == .cacheThenNetwork,
            let slot = state.withLock(\.caching?.slot)
        else { return }
        plan.client.refreshes.leave(slot)
    }

    private func miss(
        _ reason: CacheActivity.Reason, _ lookup: Lookup, _ key: CacheKey?, _ message: HTTPRequest?,
        _ caching: CachePlan
    ) {
        if let key {
            tell(.cache(.miss(key, reason)))
            // No call can use it.
            if reason == .unusable { exchange(key, caching).evict(reason) }
        }
        switch lookup {
        case .opening where caching.policy.opening(isFound: false) == .fail: failForNothing()
        case .opening: sendRequest(message)
        case .fallback(let error): finish(with: error)
        }
    }

    private func failForNothing() {
        let error = RequestError(
            .notCached, phase: .prepare,
            detail: plan.client.sharedStore == nil
                ? RequestError.noCache
                : "there is no fresh cached response, and the policy forbids network access: use another cache policy",
            request: try? plan.message())
        finish(with: error)
    }

    // MARK: A response of the server

    /// Ends the run with an output, which is cached.
    func conclude(_ output: AnyOutput, of response: HTTPResponse, _ decoder: any AnyOutputDecoder, _ caching: CachePlan)
    {
        let reader = reader(decoder, caching)
        let (key, stored) = stored(output, from: response, reader, caching)
        let delivered = state.withLock(\.caching?.delivered)
        let isUnchanged = delivered.map { isSame(stored, of: response, as: $0.cached.stored, caching) } ?? false
        let edited = key.flatMap { key in stored.flatMap(exchange(key, caching).edited) }
        // The output is that of the response as it came.
        let decoded = stored.flatMap { reader.decoded(output, of: $0) }
        finish(with: output, isUnchanged: isUnchanged) {
            if let key, let edited { store(edited, decoded, exchange(key, caching)) }
        }
    }

    /// Returns whether a response has the content that was delivered before.
    private func isSame(
        _ stored: StoredResponse?, of response: HTTPResponse, as delivered: StoredResponse, _ caching: CachePlan
    ) -> Bool {
        guard let stored, delivered.body == stored.body else { return false }
        if caching.keepsModel { return true }
        // The response to a HEAD is all in its fields.
        return response.request?.method != .head && delivered.status == response.status
    }

    /// Returns the response in the form in which it is cached, and its key; nil if it cannot be cached.
    private func stored(
        _ output: AnyOutput, from response: HTTPResponse, _ reader: ResponseReader, _ caching: CachePlan
    ) -> (key: CacheKey?, stored: StoredResponse?) {
        guard let request = try? exchanged.request ?? plan.message(), let key = knownKey(caching, request),
            DeclaredStorability.isCached(response, to: request, isMessage: plan.isMessage)
        else { return (nil, nil) }
        if let reason = exchange(key, caching).difference(response, to: request) {
            tell(.cache(.notStored(key, reason)))
            return (nil, nil)
        }
        do {
            let now = plan.client.wallTime.seconds
            return (key, try reader.stored(output, from: response, for: request, at: now))
        } catch {
            tell(.cache(.failed(key, error)))
            return (key, nil)
        }
    }

    /// Ends the run with an error, or with a cached response if the policy allows that.
    func conclude(_ error: any Error, _ decoder: any AnyOutputDecoder, _ caching: CachePlan) {
        let step = caching.policy.closing(FetchFailure(error))
        guard step == .fallBack else {
            let refused = step == .evict ? knownKey(caching, exchanged.request) : nil
            return finish(with: error) {
                if let refused { exchange(refused, caching).evict(.rejected) }
            }
        }
        let isFirst = state.withLock { state in
            // A run that was refused at its start has no state yet.
            let caching = state.caching ?? CachingState()
            state.caching = caching
            defer { caching.isFallingBack = true }
            return !caching.isFallingBack && !state.phase.isFinished
        }
        // The deadline has passed during the lookup, or the run has ended.
        guard isFirst else { return finish(with: error) }
        stopWork(error)
        if let key = knownKey(caching, exchanged.request), case .found(let entry) = caching.store.shared.peek(key),
            let found = found(in: entry, decoder, caching, isStale: true)
        {
            take(found, key, caching, .fallback(error), nil)
        } else {
            look(.fallback(error), decoder, caching)
        }
    }

    // MARK: Changing the store

    private func exchange(_ key: CacheKey, _ caching: CachePlan) -> CacheExchange {
        CacheExchange(core: self, store: caching.store, key: key, isDeclared: true)
    }

    private func store(_ stored: StoredResponse, _ decoded: StoredResponses.Decoded?, _ exchange: CacheExchange) {
        let headers = (exchanged.request ?? (try? plan.message()))?.headers ?? Headers()
        let change = StoreChange(
            exchange.store.setting(stored, decoded: decoded, for: headers),
            if: condition(exchange, isResponse: true), report: exchange.report(.stored(exchange.key)))
        exchange.store.shared.change(exchange.key, change, cost: StoreChange.cost([stored]))
    }

    private func renew(_ stored: StoredResponse, _ exchange: CacheExchange, at now: Double) {
        guard let caching = plan.caching, caching.policy.hit.renews(stored.times, at: now) else { return }
        var used = stored
        used.declared = used.declared ?? DeclaredFacts()
        used.declared?.used = now
        exchange.replace(
            stored, by: used, if: condition(exchange, isResponse: false), keepsOutputs: true,
            report: exchange.report())
    }

    /// Returns a guard that holds as long as nothing that concerns the run has changed since it began.
    ///
    /// - Parameter isResponse: A Boolean value that indicates whether the change stores a response of the server, which a
    ///   change of its URL makes obsolete. A response to an unsafe method is itself about such a change.
    private func condition(_ exchange: CacheExchange, isResponse: Bool) -> ChangeLog.Guard {
        let message = isResponse && plan.method.isSafe ? exchanged.request ?? (try? plan.message()) : nil
        let (mark, moment) = state.withLock { ($0.caching?.mark ?? 0, $0.caching?.moment) }
        let start = CacheExchange.Start(time: 0, mark: mark, moment: isResponse ? moment ?? .absent : .absent)
        return exchange.condition(since: start, for: message, tags: plan.tags)
    }

    // MARK: Keys

    private func key(_ caching: CachePlan, body: Body) throws -> CacheKey? {
        let model = caching.keepsModel ? ModelName.of(plan.requestType) : nil
        return try plan.responseKey(schema: caching.schema, own: caching.ownKey, model: model, body: body)
    }

    /// Returns the key under which the run stores its response; nil if the body is not known before it is sent.
    func knownKey(_ caching: CachePlan, _ request: @autoclosure () -> HTTPRequest?) -> CacheKey? {
        if let key = state.withLock(\.caching?.key) { return key }
        guard let request = request() else { return nil }
        return try? key(caching, body: request.body)
    }

    private func reader(_ decoder: any AnyOutputDecoder, _ caching: CachePlan) -> ResponseReader {
        ResponseReader(plan, caching, decoder)
    }

    private func set(_ caching: CachingState) {
        state.withLock { $0.caching = caching }
    }
}

/// The use that a call makes of the store of its client, by the plan of its declared policy.
struct DeclaredCache: Sendable {
    private let call: CallCache
    private let caching: CachePlan
    private let decoder: any AnyOutputDecoder
    private let outcome: any CallOutcome

    private var core: CallCore { call.core }
    private var plan: CommonPlan { core.plan }
    private var reader: ResponseReader { ResponseReader(plan, caching, decoder) }

    /// Nil under the rules of HTTP, without a store, and for a transfer that calls share.
    init?(_ call: CallCache) {
        guard let caching = call.core.plan.caching, case .call(let decoder, let outcome) = call.core.receiver
        else { return nil }
        self.call = call
        self.caching = caching
        self.decoder = decoder
        self.outcome = outcome
    }

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
    func begin() {
        let mark = caching.store.shared.changes.begin()
        if core.isObserved { core.notify(.willStart(try? plan.message())) }
        if caching.policy.readsFirst, plan.isQuick, plan.refusal == nil, let key = try? key(body: .none) {
            if caching.policy.fetch == .cacheThenNetwork || caching.policy.isSliding {
                set(CachingState(key: key, mark: mark))
            }
            let present = caching.store.shared.peek(key)
            if case .found(let entry) = present, let found = found(in: entry) { return take(found, key, .opening, nil) }
            set(CachingState(key: key, mark: mark))
            if case .nothing = present { return miss(.absent, .opening, key, nil) }
            return look(.opening)
        }
        set(CachingState(mark: mark))
        if caching.policy.readsFirst { look(.opening) } else { core.sendRequest() }
    }

    private func set(_ caching: CachingState) {
        core.state.withLock { $0.caching = caching }
    }

    /// Returns the output that memory holds beside its response.
    private func found(in entry: CacheEntry, isStale: Bool = false) -> Delivered? {
        let now = plan.client.wallTime.seconds
        guard let decodingKey = ResponseReader.decodingKey(plan, caching),
            let responses = entry.object as? StoredResponses,
            let (output, place) = ResponseReader.peek(
                responses, by: decodingKey, decoder, caching.policy.hit, plan.validation, at: now)
        else { return nil }
        return Delivered(cached: CachedResponse(responses, place, at: now, isStale: isStale), output: output)
    }

    /// Reads the store in a task.
    private func look(_ lookup: Lookup) {
        core.carry { [self] in
            do {
                let message = try plan.message()
                guard let key = try core.state.withLock(\.caching?.key) ?? key(body: message.body) else {
                    return miss(.absent, lookup, nil, message)
                }
                core.state.withLock { $0.caching?.key = key }
                try await read(key, message, lookup)
            } catch {
                let error = core.complete(error)
                core.finish(error is CancellationError ? .cancelled : .failure, with: error)
            }
        }
    }

    private func read(_ key: CacheKey, _ message: HTTPRequest, _ lookup: Lookup) async throws {
        guard let responses = try await exchange(key).responses() else {
            return miss(.absent, lookup, key, message)
        }
        let now = plan.client.wallTime.seconds
        switch reader.read(responses, for: message, isStale: lookup.isFallback, at: now) {
        case .none(let reason):
            miss(reason, lookup, key, message)
        case .output(let output, let place, let decoded):
            if let decoded { caching.store.attach(decoded, under: key) }
            let cached = CachedResponse(responses, place, at: now, isStale: lookup.isFallback)
            take(Delivered(cached: cached, output: output), key, lookup, message)
        }
    }

    private func miss(_ reason: CacheActivity.Reason, _ lookup: Lookup, _ key: CacheKey?, _ message: HTTPRequest?) {
        if let key {
            core.notify(.cache(.miss(key, reason)))
            // No call can use it.
            if reason == .unusable { exchange(key).evict(reason) }
        }
        switch lookup {
        case .opening where caching.policy.opening(isFound: false) == .fail: call.failForNothing()
        case .opening: core.sendRequest(message)
        case .fallback(let error): core.finish(with: error)
        }
    }

    // MARK: A cached response

    private func take(_ found: Delivered, _ key: CacheKey, _ lookup: Lookup, _ message: HTTPRequest?) {
        let (now, stored) = (plan.client.wallTime.seconds, found.cached.stored)
        core.accept(found.cached)
        core.notify(.cache(.hit(key, age: stored.times.age(at: now))))
        if caching.policy.isSliding { renew(stored, exchange(key), at: now) }
        guard !lookup.isFallback, caching.policy.opening(isFound: true) == .send else {
            return core.finish(with: found.output)
        }
        core.state.withLock { $0.caching?.delivered = found }
        guard outcome.deliver(found.output) else { return }
        let slot = RefreshLimiter.Slot(sharedBy: plan.uniqueness == .join ? FlightKey(of: core) : nil)
        plan.client.refreshes.take(slot) { [self] in
            let isWanted = core.state.withLock { state in
                if !state.phase.isFinished { state.caching?.slot = slot }
                return !state.phase.isFinished
            }
            guard isWanted else { return false }
            core.notify(.cache(.refreshing(key)))
            sendRequest(sinceDelivered: stored, message)
            return true
        }
    }

    /// Sends the request for a newer response. If the delivered one has a validator, the request revalidates it.
    private func sendRequest(sinceDelivered stored: StoredResponse, _ message: HTTPRequest?) {
        // A response under a key of its own may come from another URL, with other validators.
        guard caching.ownKey == nil, let message = message ?? (plan.isQuick ? try? plan.message() : nil),
            let revalidation = stored.revalidation(of: message)
        else { return core.sendRequest(message) }
        core.state.withLock { state in
            state.caching?.isConditional = true
            state.cause = .validation
        }
        core.sendRequest(revalidation, isPlanned: false)
    }

    /// Ends the run if the server confirms the delivered response. Returns false if the response is about something else.
    func takesForConfirmation(_ response: HTTPResponse) -> Bool {
        let asked = core.state.withLock { state -> (Delivered?, CacheKey?)? in
            guard let caching = state.caching, caching.isConditional else { return nil }
            caching.isConditional = false
            return (caching.delivered, caching.key)
        }
        guard case (let delivered?, let key?)? = asked, let request = try? core.exchanged.request ?? plan.message()
        else { return false }
        // After a redirect to another URL, the response is about another resource.
        let isElsewhere = response.request.map { $0.url != request.url } ?? false
        let stored = delivered.cached.stored
        guard !isElsewhere, stored.isMeant(by: response.headers) else {
            core.sendRequest(ConditionalRequest.withoutConditions(request))
            return true
        }
        let now = plan.client.wallTime.seconds
        let exchange = exchange(key)
        let confirmed = exchange.updated(
            stored, with: response.headers, for: request, requestTime: now, responseTime: now)
        core.accept(CachedResponse(confirmed: confirmed))
        let edited = exchange.difference(response, to: request) == nil ? exchange.edited(confirmed) : nil
        core.finish(with: delivered.output, isUnchanged: true) {
            guard let edited else { return }
            // Unless it was replaced or removed meanwhile.
            exchange.replace(
                stored, by: edited, if: condition(exchange, storing: edited),
                keepsOutputs: edited.selecting.count == stored.selecting.count,
                report: exchange.report(.revalidated(key)))
        }
        return true
    }

    // MARK: A response of the server

    /// Ends the run with an output, which is cached.
    func finish(with output: AnyOutput, of response: HTTPResponse) {
        let (key, stored) = stored(output, from: response)
        let delivered = core.state.withLock(\.caching?.delivered)
        let isUnchanged = delivered.map { isSame(stored, of: response, as: $0.cached.stored) } ?? false
        let edited = key.flatMap { key in stored.flatMap(exchange(key).edited) }
        // The output is that of the response as it came.
        let decoded = stored.flatMap { reader.decoded(output, of: $0) }
        core.finish(with: output, isUnchanged: isUnchanged) {
            if let key, let edited { store(edited, decoded, exchange(key)) }
        }
    }

    /// Returns whether a response has the content that was delivered before.
    private func isSame(_ stored: StoredResponse?, of response: HTTPResponse, as delivered: StoredResponse) -> Bool {
        guard let stored, delivered.body == stored.body else { return false }
        if caching.keepsModel { return true }
        // The response to a HEAD is all in its fields.
        return response.request?.method != .head && delivered.status == response.status
    }

    /// Returns the response in the form in which it is cached, and its key; nil if it cannot be cached.
    private func stored(_ output: AnyOutput, from response: HTTPResponse) -> (key: CacheKey?, stored: StoredResponse?) {
        guard let request = try? core.exchanged.request ?? plan.message(), let key = call.knownKey(caching, request),
            DeclaredStorability.isCached(response, to: request, isMessage: plan.isMessage)
        else { return (nil, nil) }
        if let reason = exchange(key).difference(response, to: request) {
            core.notify(.cache(.notStored(key, reason)))
            return (nil, nil)
        }
        do {
            let now = plan.client.wallTime.seconds
            return (key, try reader.stored(output, from: response, for: request, at: now))
        } catch {
            core.notify(.cache(.failed(key, error)))
            return (key, nil)
        }
    }

    // MARK: A failure

    /// Ends the run with an error, or with a cached response if the policy allows that.
    func finish(with error: any Error) {
        let step = caching.policy.closing(FetchFailure(error))
        guard step == .fallBack else {
            let refused = step == .evict ? call.knownKey(caching, core.exchanged.request) : nil
            return core.finish(with: error) {
                if let refused { evictObsolete(exchange(refused)) }
            }
        }
        let isFirst = core.state.withLock { state in
            // A run that was refused at its start has no state yet.
            let isFirst = !replace(&CachingState.of(&state).isFallingBack, with: true)
            return isFirst && !state.phase.isFinished
        }
        // The deadline has passed during the lookup, or the run has ended.
        guard isFirst else { return core.finish(with: error) }
        core.stopWork(error)
        // Once the deadline has passed, nothing else ends the lookup in a store that does not respond.
        if let time = core.remainingTime, time <= .zero {
            core.startDeadline(caching.store.shared.waitLimit, error)
        }
        if let key = call.knownKey(caching, core.exchanged.request),
            case .found(let entry) = caching.store.shared.peek(key), let found = found(in: entry, isStale: true)
        {
            take(found, key, .fallback(error), nil)
        } else {
            look(.fallback(error))
        }
    }

    // MARK: Changing the store

    private func key(body: Body) throws -> CacheKey? {
        try plan.responseKey(caching, isModel: caching.keepsModel, body: body)
    }

    private func exchange(_ key: CacheKey) -> CacheExchange {
        CacheExchange(core: core, store: caching.store, key: key, isDeclared: true)
    }

    private func store(_ stored: StoredResponse, _ decoded: StoredResponses.Decoded?, _ exchange: CacheExchange) {
        let headers = (core.exchanged.request ?? (try? plan.message()))?.headers ?? Headers()
        let change = StoreChange(
            exchange.store.setting(stored, decoded: decoded, for: headers),
            if: condition(exchange, storing: stored), report: exchange.report(.stored(exchange.key)))
        exchange.store.shared.change(exchange.key, change, cost: StoreChange.cost([stored]))
    }

    private func renew(_ stored: StoredResponse, _ exchange: CacheExchange, at now: Double) {
        guard caching.policy.hit.renews(stored.times, at: now) else { return }
        var used = stored
        used.declared = used.declared ?? DeclaredFacts()
        used.declared?.used = now
        exchange.replace(
            stored, by: used, if: condition(exchange, isResponse: false), keepsOutputs: true,
            report: exchange.report())
    }

    /// Removes the cached response, which the response of the server makes obsolete, and older ones in flight.
    private func evictObsolete(_ exchange: CacheExchange) {
        let condition = condition(exchange, isResponse: false)
        exchange.changes.note([.key(exchange.key)], asOf: condition.mark)
        exchange.evict(.rejected, if: condition)
    }

    /// Returns the guard of a response that is to be stored. From now on, calls that began before this one do not store
    /// theirs.
    private func condition(_ exchange: CacheExchange, storing response: StoredResponse) -> ChangeLog.Guard {
        var condition = condition(exchange, isResponse: true)
        let place = ChangeLog.Place.key(exchange.key.variant(response.selecting))
        condition.places.append(place)
        exchange.changes.note([place], asOf: condition.mark)
        return condition
    }

    /// Returns a guard that holds as long as nothing that concerns the run has changed since it began.
    ///
    /// - Parameter isResponse: A Boolean value that indicates whether the change stores a response of the server, which a
    ///   change of its URL makes obsolete. A response to an unsafe method is itself about such a change.
    private func condition(_ exchange: CacheExchange, isResponse: Bool) -> ChangeLog.Guard {
        let message = isResponse && plan.method.isSafe ? core.exchanged.request ?? (try? plan.message()) : nil
        let (mark, moment) = core.state.withLock { ($0.caching?.mark ?? 0, $0.caching?.moment) }
        let start = CacheExchange.Start(time: 0, mark: mark, moment: isResponse ? moment ?? .absent : .absent)
        return exchange.condition(since: start, for: message, tags: plan.tags)
    }
}

import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a run does with the store of its client: it carries out what its policy plans.
extension CallRun {
    /// Why the store is looked at.
    private enum Look {
        case opening
        /// The server had no answer.
        case fallback(any Error)

        var isFallback: Bool {
            if case .fallback = self { true } else { false }
        }
    }

    // MARK: The beginning

    /// Answers at once what lies in memory, and otherwise does what comes first.
    func beginWithCache() {
        guard let caching = plan.caching else {
            // There is no store.
            return plan.cachePolicy.fetch == .cacheOnly ? failForNothing() : ask()
        }
        let mark = caching.store.shared.changes.begin()
        if isObserved { tell(.willStart(try? plan.message())) }
        if caching.policy.readsFirst, plan.isQuick, plan.refusal == nil, let key = try? key(caching, body: .none) {
            if caching.policy.fetch == .cacheThenNetwork || caching.policy.isSliding {
                outcome.withLock { $0.caching = CachingState(key: key, mark: mark) }
            }
            let present = caching.store.shared.glance(key)
            if case .found(let entry) = present, let (output, responses, place) = output(in: entry, caching) {
                return take(output, responses, place, key, caching, .opening, nil)
            }
            outcome.withLock { $0.caching = CachingState(key: key, mark: mark) }
            if case .nothing = present { return miss(caching, .nothing, .absent, .opening, key, nil) }
            return look(caching, .opening)
        }
        outcome.withLock { $0.caching = CachingState(mark: mark) }
        if caching.policy.readsFirst { look(caching, .opening) } else { ask() }
    }

    /// The output that lies in memory beside its response.
    private func output(in entry: CacheEntry, _ caching: CachePlan) -> (Output, StoredResponses, place: Int)? {
        guard let maker = ResponseReader<Output>.maker(plan, caching, serializer),
            let responses = entry.object as? StoredResponses,
            let (output, place) = ResponseReader<Output>.peek(
                responses, by: maker, caching.policy.hit, at: plan.client.wallTime.seconds)
        else { return nil }
        return (output, responses, place)
    }

    /// Looks at the store in a task.
    private func look(_ caching: CachePlan, _ look: Look) {
        carry { [self] in
            do {
                let message = try plan.message()
                guard let key = try key(caching, body: message.body) else {
                    return miss(caching, .nothing, .absent, look, nil, message)
                }
                outcome.withLock { $0.caching?.key = key }
                try await read(caching, look, key, message)
            } catch {
                let error = complete(error)
                finish(error is CancellationError ? .cancelled : .failure, with: error)
            }
        }
    }

    private func read(_ caching: CachePlan, _ look: Look, _ key: CacheKey, _ message: HTTPRequest) async throws {
        guard let responses = try await responses(caching, key) else {
            return miss(caching, .nothing, .absent, look, key, message)
        }
        let now = plan.client.wallTime.seconds
        switch reader(caching).read(responses, for: message, isStale: look.isFallback, at: now) {
        case .none(let state, let reason):
            miss(caching, state, reason, look, key, message)
        case .output(let output, let place, let object):
            if let object {
                caching.store.attach(object, by: object.maker, of: responses.all[place].id, under: key)
            }
            take(output, responses, place, key, caching, look, message)
        }
    }

    /// What the store has, or nothing if it fails.
    private func responses(_ caching: CachePlan, _ key: CacheKey) async throws -> StoredResponses? {
        do {
            return try await caching.store.content(of: key)
        } catch let error as CancellationError {
            throw error
        } catch {
            tell(.cache(.failed(key, error)))
            return nil
        }
    }

    // MARK: What was found

    private func take(
        _ output: Output, _ responses: StoredResponses, _ place: Int, _ key: CacheKey, _ caching: CachePlan,
        _ look: Look, _ message: HTTPRequest?
    ) {
        let step = look.isFallback ? caching.policy.fallback(.fresh) : caching.policy.opening(.fresh)
        let now = plan.client.wallTime.seconds
        let age = responses.all[place].times.age(at: now)
        let cached = CachedResponse(
            responses: responses, place: place, source: .cache(age: age, isStale: look.isFallback))
        keep(cached)
        tell(.cache(.hit(key, age: age)))
        if step.renews { renew(responses.all[place], key, caching, at: now) }
        guard step.next == .ask else {
            return finish(with: output)
        }
        outcome.withLock { $0.caching?.delivered = cached }
        guard deliver(output) else { return }
        let turn = RefreshPlaces.Place(sharedBy: plan.uniqueness == .join ? FlightKey(of: self) : nil)
        plan.client.refreshes.take(turn) { [self] in
            let isWanted = outcome.withLock { outcome in
                if !outcome.isOver { outcome.caching?.place = turn }
                return !outcome.isOver
            }
            guard isWanted else { return false }
            tell(.cache(.refreshing(key)))
            ask(sinceDelivered: cached.stored, message)
            return true
        }
    }

    /// Asks for what is new; and, where the server can tell, to be told no more than that nothing is.
    private func ask(sinceDelivered stored: StoredResponse, _ message: HTTPRequest?) {
        // Under a name of its own, what is kept may come from another URL, with other validators.
        guard plan.caching?.ownKey == nil, let message = message ?? (plan.isQuick ? try? plan.message() : nil),
            let asking = stored.revalidation(of: message)
        else { return ask(message) }
        outcome.withLock { $0.caching?.isConditional = true }
        state.withLock { $0.cause = .validation }
        ask(asking, isPlanned: false)
    }

    /// Ends the run where a server says that what was delivered is right. False for any other response.
    func takesForConfirmation(_ response: HTTPResponse) -> Bool {
        guard let caching = plan.caching, response.status == .notModified else { return false }
        let asked = outcome.withLock { outcome -> (CachedResponse?, CacheKey?)? in
            guard let caching = outcome.caching, caching.isConditional else { return nil }
            caching.isConditional = false
            return (caching.delivered, caching.key)
        }
        guard case (let delivered?, let key?)? = asked,
            let request = try? exchanged.request ?? plan.message(),
            case .success(let output)? = result(of: .first)
        else { return false }
        // It may have been sent on to somebody else, whose answers are not those that were asked about.
        let isElsewhere = response.request.map { $0.url != request.url } ?? false
        let stored = delivered.stored
        guard !isElsewhere, stored.isMeant(by: response.headers) else {
            ask(ConditionalRequest.withoutConditions(request))
            return true
        }
        let now = plan.client.wallTime.seconds
        let updated = stored.updated(with: response.headers, requestTime: now, responseTime: now)
        let confirmed = updated.varying(like: stored, reader(caching).selecting(updated.headers, for: request))
        keep(CachedResponse(responses: StoredResponses([confirmed]), place: 0, source: .validated))
        let edited = unseen(response, to: request) == nil ? edited(confirmed) : nil
        finish(with: output, isUnchanged: true) {
            if let edited { confirm(edited, of: stored, under: key, caching) }
        }
        return true
    }

    /// Lets the next one ask who has an answer.
    func leaveRefreshing() {
        guard let caching = plan.caching, caching.policy.fetch == .cacheThenNetwork,
            let place = outcome.withLock(\.caching?.place)
        else { return }
        plan.client.refreshes.leave(place)
    }

    private func miss(
        _ caching: CachePlan, _ state: StoredState, _ reason: CacheActivity.Reason, _ look: Look, _ key: CacheKey?,
        _ message: HTTPRequest?
    ) {
        let step = look.isFallback ? caching.policy.fallback(state) : caching.policy.opening(state)
        if let key {
            tell(.cache(.miss(key, reason)))
            if step.removes { evict(key, caching, reason) }
        }
        guard step.next == .fail else { return ask(message) }
        switch look {
        case .opening: failForNothing()
        case .fallback(let error): finish(with: error)
        }
    }

    private func failForNothing() {
        let error = RequestError(
            .notCached, phase: .prepare,
            detail: plan.client.sharedStore == nil
                ? RequestError.noCache : "nothing is kept that answers the request, and the server was not to be asked",
            request: try? plan.message())
        finish(with: error)
    }

    // MARK: What came of asking

    /// Ends the run with an output, which is kept.
    func conclude(_ output: Output, of response: HTTPResponse, _ caching: CachePlan) {
        let (key, stored) = stored(output, from: response, caching)
        let delivered = outcome.withLock(\.caching?.delivered)
        let isUnchanged = delivered.map { says(stored, of: response, nothingBut: $0.stored, caching) } ?? false
        let edited = stored.flatMap(edited)
        // The output is that of the response as it came.
        let made = stored.flatMap { reader(caching).made(output, of: $0) }
        finish(with: output, isUnchanged: isUnchanged) {
            if let key, let edited { store(edited, made, under: key, caching) }
        }
    }

    /// Whether an answer says what was delivered before.
    private func says(
        _ stored: StoredResponse?, of response: HTTPResponse, nothingBut delivered: StoredResponse,
        _ caching: CachePlan
    ) -> Bool {
        guard let stored, delivered.body == stored.body else { return false }
        if caching.keepsModel { return true }
        // The response to a HEAD is all in its fields.
        return response.request?.method != .head && delivered.status == response.status
    }

    /// What is to be kept, and where; nothing where that cannot be.
    private func stored(
        _ output: Output, from response: HTTPResponse, _ caching: CachePlan
    ) -> (key: CacheKey?, stored: StoredResponse?) {
        guard let request = try? exchanged.request ?? plan.message(), let key = knownKey(caching, request),
            DeclaredStorability.isCached(response, to: request, isMessage: plan.isMessage)
        else { return (nil, nil) }
        if let difference = unseen(response, to: request) {
            tell(.cache(.notStored(key, difference.reason)))
            return (nil, nil)
        }
        do {
            let now = plan.client.wallTime.seconds
            return (key, try reader(caching).stored(output, from: response, for: request, at: now))
        } catch {
            tell(.cache(.failed(key, error)))
            return (key, nil)
        }
    }

    /// The first thing that a response depends on and that is part of no key, because interceptors have changed it; nil if there
    /// is none.
    private func unseen(_ response: HTTPResponse, to request: HTTPRequest) -> SentRequests.Difference? {
        SentRequests.difference(
            from: request, sent, response: response.headers, hasIdentity: plan.client.configuration.identity != nil)
    }

    /// Returns the response as the observers leave it; nil if one of them rejects it.
    private func edited(_ stored: StoredResponse) -> StoredResponse? {
        isObserved ? stored.edited(by: willStore) : stored
    }

    /// Ends the run with an error, or with what is kept in spite of it.
    func conclude(_ error: any Error, _ caching: CachePlan) {
        let step = caching.policy.closing(FetchOutcome(error))
        guard step.answer == .kept else {
            let refused = step.evicts ? knownKey(caching, exchanged.request) : nil
            return finish(with: error) {
                if let refused { evict(refused, caching, .rejected) }
            }
        }
        let isFirst = outcome.withLock { outcome in
            // One that was refused before it began has none.
            let caching = outcome.caching ?? CachingState()
            outcome.caching = caching
            defer { caching.isFallingBack = true }
            return !caching.isFallingBack && !outcome.isOver
        }
        // It waited too long for what is kept, or has an end already.
        guard isFirst else { return finish(with: error) }
        stopWork()
        if let key = knownKey(caching, exchanged.request), case .found(let entry) = caching.store.shared.glance(key),
            let (output, responses, place) = output(in: entry, caching)
        {
            take(output, responses, place, key, caching, .fallback(error), nil)
        } else {
            look(caching, .fallback(error))
        }
    }

    // MARK: Changing the store

    private func store(
        _ stored: StoredResponse, _ made: StoredResponses.Made?, under key: CacheKey, _ caching: CachePlan
    ) {
        let headers = (exchanged.request ?? (try? plan.message()))?.headers ?? Headers()
        let change = caching.store.setting(stored, made: made, for: headers)
        let condition = isWanted(key, caching, isResponse: true)
        caching.store.shared.change(
            key, StoreChange(change, if: condition, report: report(.stored(key), of: key)),
            cost: StoreChange.cost([stored]))
    }

    /// Stores a response as the server has confirmed it, unless another one has taken its place, or it was removed.
    private func confirm(
        _ stored: StoredResponse, of old: StoredResponse, under key: CacheKey, _ caching: CachePlan
    ) {
        replace(
            old, by: stored, under: key, caching, keepsOutputs: stored.selecting.count == old.selecting.count,
            isResponse: true, report(.revalidated(key), of: key))
    }

    private func evict(_ key: CacheKey, _ caching: CachePlan, _ reason: CacheActivity.Reason) {
        caching.store.shared.change(key, StoreChange(.remove, report: report(.evicted(key, reason), of: key)))
    }

    private func renew(_ stored: StoredResponse, _ key: CacheKey, _ caching: CachePlan, at now: Double) {
        guard caching.policy.hit.renews(stored.times, at: now) else { return }
        var used = stored
        used.declared = used.declared ?? DeclaredFacts()
        used.declared?.used = now
        replace(
            stored, by: used, under: key, caching, keepsOutputs: true, isResponse: false, report(nil, of: key))
    }

    /// Replaces a response by a newer form of it. It gives way to any other that has come since.
    private func replace(
        _ old: StoredResponse, by new: StoredResponse, under key: CacheKey, _ caching: CachePlan, keepsOutputs: Bool,
        isResponse: Bool, _ report: @escaping StoreChange.Report
    ) {
        let (id, time) = (old.id, old.responseTime)
        caching.store.change(
            key, if: isWanted(key, caching, isResponse: isResponse), keepsOutputs: keepsOutputs, report: report
        ) { responses in
            guard let place = responses.firstIndex(where: { $0.id == id && $0.responseTime == time }) else {
                return nil
            }
            var responses = responses
            responses[place] = new
            return responses
        }
    }

    /// Holds as long as nothing has changed what the run has to do with since it began.
    ///
    /// - Parameter isResponse: Whether it is about a response of the server, which a change of its URL makes obsolete. A response to
    ///   a method that changes something tells of such a change itself.
    private func isWanted(_ key: CacheKey, _ caching: CachePlan, isResponse: Bool) -> ChangeLog.Guard {
        let message = isResponse && plan.method.isSafe ? exchanged.request ?? (try? plan.message()) : nil
        return ChangeLog.Guard(
            log: caching.store.shared.changes, places: plan.places(of: message, key: key),
            mark: outcome.withLock(\.caching?.mark) ?? 0)
    }

    private func report(_ activity: CacheActivity?, of key: CacheKey) -> StoreChange.Report {
        guard isObserved else { return { _ in } }
        return { [self] outcome in
            switch outcome {
            case .failed(let error): tell(.cache(.failed(key, error)))
            case .done: if let activity { tell(.cache(activity)) }
            case .unchanged: break
            }
        }
    }

    // MARK: Names and makers

    private func key(_ caching: CachePlan, body: Body) throws -> CacheKey? {
        let model = caching.keepsModel ? ModelName.of(plan.requestType) : nil
        return try plan.responseKey(schema: caching.schema, own: caching.ownKey, model: model, body: body)
    }

    private func knownKey(_ caching: CachePlan, _ request: HTTPRequest?) -> CacheKey? {
        if let key = outcome.withLock(\.caching?.key) { return key }
        guard let request else { return nil }
        return try? key(caching, body: request.body)
    }

    private func reader(_ caching: CachePlan) -> ResponseReader<Output> {
        ResponseReader(plan, caching, serializer)
    }
}

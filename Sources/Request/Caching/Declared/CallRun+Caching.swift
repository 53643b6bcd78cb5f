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
        let mark = caching.store.changes.begin()
        if isObserved { tell(.willStart(try? plan.message())) }
        if caching.policy.readsFirst, plan.isQuick, plan.refusal == nil, let key = try? key(caching, body: .none) {
            if caching.policy.fetch == .cacheThenNetwork || caching.policy.isSliding {
                outcome.withLock { $0.caching = CachingState(key: key, mark: mark) }
            }
            let glance = caching.store.glance(key)
            if case .found(let entry) = glance, let output = self.glance(entry, caching) {
                return take(output, entry, key, caching, .opening, nil)
            }
            outcome.withLock { $0.caching = CachingState(key: key, mark: mark) }
            if case .nothing = glance { return miss(caching, .nothing, .absent, .opening, key, nil) }
            return look(caching, .opening)
        }
        outcome.withLock { $0.caching = CachingState(mark: mark) }
        if caching.policy.readsFirst { look(caching, .opening) } else { ask() }
    }

    /// The output that lies in memory beside its bytes.
    private func glance(_ entry: CacheEntry, _ caching: CachePlan) -> Output? {
        guard let maker = ResponseReader<Output>.maker(plan, caching, serializer) else { return nil }
        return ResponseReader<Output>.glance(entry, by: maker, caching.policy.hit, at: plan.client.wallTime.seconds)
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
        guard let entry = try await entry(caching, key) else {
            return miss(caching, .nothing, .absent, look, key, message)
        }
        let now = plan.client.wallTime.seconds
        let source = ResponseSource.cache(age: StoredEntry(entry).writtenOnly.age(at: now), isStale: look.isFallback)
        switch reader(caching).read(entry, for: message, source: source, at: now) {
        case .none(let state, let reason):
            miss(caching, state, reason, look, key, message)
        case .output(let output, let object):
            var entry = entry
            if let object {
                caching.store.attach(object, to: entry, under: key)
                entry.object = object
            }
            take(output, entry, key, caching, look, message)
        }
    }

    /// What the store has, or nothing if it fails.
    private func entry(_ caching: CachePlan, _ key: CacheKey) async throws -> CacheEntry? {
        do {
            return try await caching.store.get(key)
        } catch let error as CancellationError {
            throw error
        } catch {
            tell(.cache(.failed(key, error)))
            return nil
        }
    }

    // MARK: What was found

    private func take(
        _ output: Output, _ entry: CacheEntry, _ key: CacheKey, _ caching: CachePlan, _ look: Look,
        _ message: HTTPRequest?
    ) {
        let step = look.isFallback ? caching.policy.fallback(.fresh) : caching.policy.opening(.fresh)
        let now = plan.client.wallTime.seconds
        let age = StoredEntry(entry).writtenOnly.age(at: now)
        keep(CachedResponse(entry: entry, source: .cache(age: age, isStale: look.isFallback)))
        tell(.cache(.hit(key, age: age)))
        if step.renews { renew(entry, key, caching, at: now) }
        guard step.next == .ask else {
            return finish(with: output)
        }
        outcome.withLock { $0.caching?.delivered = entry }
        guard deliver(output) else { return }
        let place = RefreshPlaces.Place(sharedBy: plan.uniqueness == .join ? FlightKey(of: self) : nil)
        plan.client.refreshes.take(place) { [self] in
            let isWanted = outcome.withLock { outcome in
                if !outcome.isOver { outcome.caching?.place = place }
                return !outcome.isOver
            }
            guard isWanted else { return false }
            tell(.cache(.refreshing(key)))
            ask(sinceDelivered: entry, message)
            return true
        }
    }

    /// Asks for what is new; and, where the server can tell, to be told no more than that nothing is.
    private func ask(sinceDelivered entry: CacheEntry, _ message: HTTPRequest?) {
        // Under a name of its own, what is kept may come from another URL, with other validators.
        guard plan.caching?.ownKey == nil, let message = message ?? (plan.isQuick ? try? plan.message() : nil),
            let asking = StoredEntry(entry).asking(message)
        else { return ask(message) }
        outcome.withLock { $0.caching?.isConditional = true }
        state.withLock { $0.cause = .validation }
        ask(asking, isPlanned: false)
    }

    /// Ends the run where a server says that what was delivered is right. False for any other response.
    func takesForConfirmation(_ response: HTTPResponse) -> Bool {
        guard let caching = plan.caching, response.status == .notModified else { return false }
        let asked = outcome.withLock { outcome -> (CacheEntry?, CacheKey?)? in
            guard let caching = outcome.caching, caching.isConditional else { return nil }
            caching.isConditional = false
            return (caching.delivered, caching.key)
        }
        guard case (let entry?, let key?)? = asked,
            let request = try? exchanged.request ?? plan.message(),
            case .success(let output)? = result(of: .first)
        else { return false }
        // It may have been sent on to somebody else, whose answers are not those that were asked about.
        let isElsewhere = response.request.map { $0.url != request.url } ?? false
        guard !isElsewhere, StoredEntry(entry).isMeant(by: response.headers) else {
            ask(StoredEntry.askingForAll(request))
            return true
        }
        let now = plan.client.wallTime.now
        let confirmed = StoredEntry(entry).confirmed(by: response.headers, for: request, at: now)
        keep(CachedResponse(entry: confirmed, source: .validated))
        let edited = isForAll(response, to: request) ? edited(confirmed) : nil
        finish(with: output, isUnchanged: true) {
            if let edited { confirm(edited, of: entry, under: key, caching) }
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
        let (key, entry) = entry(of: output, from: response, caching)
        let delivered = outcome.withLock(\.caching?.delivered)
        let isUnchanged = delivered.map { says(entry, of: response, nothingBut: $0, caching) } ?? false
        let edited = entry.flatMap(edited)
        finish(with: output, isUnchanged: isUnchanged) {
            if let key, let edited { store(edited, under: key, caching) }
        }
    }

    /// Whether an answer says what was delivered before.
    private func says(
        _ entry: CacheEntry?, of response: HTTPResponse, nothingBut delivered: CacheEntry, _ caching: CachePlan
    ) -> Bool {
        guard delivered.body == entry?.body else { return false }
        if caching.keepsModel { return true }
        // The answer to a HEAD is all in its fields.
        return response.request?.method != .head
            && StoredEntry(delivered).response(withBody: false)?.status == response.status
    }

    /// What is to be kept, and where; nothing where that cannot be.
    private func entry(
        of output: Output, from response: HTTPResponse, _ caching: CachePlan
    ) -> (key: CacheKey?, entry: CacheEntry?) {
        guard let request = try? exchanged.request ?? plan.message(), let key = knownKey(caching, request),
            DeclaredStorability.isCached(response, to: request, isMessage: plan.isMessage),
            isForAll(response, to: request)
        else { return (nil, nil) }
        do {
            let now = plan.client.wallTime.now
            return (key, try reader(caching).entry(of: output, from: response, for: request, at: now))
        } catch {
            tell(.cache(.failed(key, error)))
            return (key, nil)
        }
    }

    /// A Boolean value that indicates whether the response answers every request with its key. What interceptors have added is
    /// part of no key.
    private func isForAll(_ response: HTTPResponse, to request: HTTPRequest) -> Bool {
        SentRequests.difference(
            from: request, sent, response: response.headers, hasIdentity: plan.client.configuration.identity != nil)
            == nil
    }

    /// What the observers leave of it. An object is left out that was made of other bytes.
    private func edited(_ entry: CacheEntry) -> CacheEntry? {
        guard isObserved else { return entry }
        var edited = willStore(entry)
        if let body = edited?.body, body != entry.body { edited?.object = nil }
        return edited
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
        if let key = knownKey(caching, exchanged.request), case .found(let entry) = caching.store.glance(key),
            let output = glance(entry, caching)
        {
            take(output, entry, key, caching, .fallback(error), nil)
        } else {
            look(caching, .fallback(error))
        }
    }

    // MARK: Changing the store

    private func store(_ entry: CacheEntry, under key: CacheKey, _ caching: CachePlan) {
        let condition = isWanted(key, caching, isResponse: true)
        caching.store.change(
            key, StoreChange(.set(entry), if: condition, report: report(.stored(key), of: key)),
            cost: StoreChange.cost(entry))
    }

    /// Caches what a server has confirmed, unless something else has come meanwhile, or it was removed.
    private func confirm(_ entry: CacheEntry, of old: CacheEntry, under key: CacheKey, _ caching: CachePlan) {
        let condition = isWanted(key, caching, isResponse: true)
        let change = StoreChange.renewing(entry, written: old.written)
        caching.store.change(key, StoreChange(change, if: condition, report: report(.revalidated(key), of: key)))
    }

    private func evict(_ key: CacheKey, _ caching: CachePlan, _ reason: CacheActivity.Reason) {
        caching.store.change(key, StoreChange(.remove, report: report(.evicted(key, reason), of: key)))
    }

    private func renew(_ entry: CacheEntry, _ key: CacheKey, _ caching: CachePlan, at now: Double) {
        let answer = StoredEntry(entry)
        guard caching.policy.hit.renews(answer.times, at: now) else { return }
        let change = StoreChange.renewing(answer.used(at: now), written: entry.written)
        caching.store.change(
            key, StoreChange(change, if: isWanted(key, caching, isResponse: false), report: report(nil, of: key)))
    }

    /// Holds as long as nothing has changed what the run has to do with since it began.
    ///
    /// - Parameter isResponse: Whether it is about a response of the server, which a change of its URL makes obsolete. A response to
    ///   a method that changes something tells of such a change itself.
    private func isWanted(_ key: CacheKey, _ caching: CachePlan, isResponse: Bool) -> ChangeLog.Guard {
        let message = isResponse && plan.method.isSafe ? exchanged.request ?? (try? plan.message()) : nil
        return ChangeLog.Guard(
            log: caching.store.changes, places: plan.places(of: message, key: key),
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

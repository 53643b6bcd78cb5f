/// The decision of the cache for a request (RFC 9111, 4), and its reason.
enum CacheDecision: Sendable {
    /// Serve the stored response at this index.
    case serve(Int, Selection, CacheExplanation)
    /// Revalidate the stored response at this index.
    case validate(Int, Selection, CacheExplanation)
    /// Request these bytes, which the stored response at this index lacks.
    case complete(Int, Range<Int>, CacheExplanation)
    /// Send the request.
    case fetch(CacheExplanation)
    /// Return a 504, because the request accepts only a cached response.
    case refuse(CacheExplanation)

    var explanation: CacheExplanation {
        switch self {
        case .serve(_, _, let explanation), .validate(_, _, let explanation), .complete(_, _, let explanation),
            .fetch(let explanation), .refuse(let explanation):
            explanation
        }
    }

    /// A Boolean value that indicates whether a cached response is used together with the server, so that the decision may
    /// be another one without a network.
    var usesServer: Bool {
        switch self {
        case .validate: true
        case .serve(_, _, let explanation): explanation.outcome == .cachedAndRefreshing
        case .complete, .fetch, .refuse: false
        }
    }

    /// Returns the decision for a request, from the responses that are stored for its URL and the time.
    static func of(
        _ stored: [StoredResponse], method: HTTPMethod, headers: Headers, fields: RequestFields,
        situation: CacheSituation
    ) -> CacheDecision {
        guard method == .get || method == .head else { return .fetch(CacheExplanation(.fetched, .method)) }
        let directives = fields.directives
        func send(_ reason: CacheExplanation.Reason) -> CacheDecision {
            directives.onlyIfCached
                ? .refuse(CacheExplanation(.failed, .onlyIfCached)) : .fetch(CacheExplanation(.fetched, reason))
        }
        if directives.noStore { return send(.requestNoStore) }
        if fields.isForServer { return send(.condition) }
        guard !stored.isEmpty else { return send(.nothingStored) }
        guard let (place, selection) = choose(stored, method, headers, fields) else {
            guard stored.contains(where: { $0.matches(headers) }) else { return send(.noVariant) }
            guard !directives.onlyIfCached, situation.completesParts,
                let (place, gap) = completion(stored, method, headers, fields)
            else { return send(.rangeNotStored) }
            return .complete(place, gap, CacheExplanation(.fetched, .remainder, of: stored[place], in: situation))
        }
        return decide(stored[place], at: place, selection, directives, situation)
    }

    /// Returns the newest matching response that has the requested bytes (4.1). Of two equally new ones, this is the
    /// one that is stored after the other, because it arrived later.
    private static func choose(
        _ stored: [StoredResponse], _ method: HTTPMethod, _ headers: Headers, _ fields: RequestFields
    ) -> (Int, Selection)? {
        var best: (place: Int, selection: Selection)?
        for (place, response) in stored.enumerated() where response.matches(headers) {
            if let best, stored[best.place].isNewer(than: response) { continue }
            let selection = Selection.of(response, for: fields, method: method)
            if selection != .nothing { best = (place, selection) }
        }
        return best
    }

    /// Returns a stored partial response that one further part makes complete, and the bytes of that part.
    private static func completion(
        _ stored: [StoredResponse], _ method: HTTPMethod, _ headers: Headers, _ fields: RequestFields
    ) -> (Int, Range<Int>)? {
        guard method == .get, fields.range == nil, !fields.isConditional, !fields.directives.noCache else { return nil }
        for (place, response) in stored.enumerated() where response.matches(headers) {
            // Nothing would decode an encoded body that is combined from parts.
            guard response.status == .partialContent, !response.headers.contains("Content-Encoding"),
                let tag = response.facts.tag, !tag.isWeak
            else { continue }
            let gaps = response.content.gaps
            if gaps.count == 1 { return (place, gaps[0]) }
        }
        return nil
    }

    private static func decide(
        _ response: StoredResponse, at place: Int, _ selection: Selection, _ directives: RequestDirectives,
        _ situation: CacheSituation
    ) -> CacheDecision {
        func explain(_ outcome: CacheExplanation.Outcome, _ reason: CacheExplanation.Reason) -> CacheExplanation {
            CacheExplanation(outcome, reason, of: response, in: situation)
        }
        func send(_ reason: CacheExplanation.Reason) -> CacheDecision {
            if directives.onlyIfCached { return .refuse(explain(.failed, .onlyIfCached)) }
            if situation.isOffline,
                let reason = StaleRule.reason(
                    .disconnected, stored: response, directives: directives, situation: situation)
            {
                return .serve(place, selection, explain(.cached, reason))
            }
            return .validate(place, selection, explain(.fetched, reason))
        }
        let own = response.facts.directives
        guard let age = response.age(at: situation.now) else { return send(.clockMovedBack) }
        if own.flags.contains(.noCache) { return send(.responseNoCache) }
        if directives.noCache { return send(.requestNoCache) }
        let lifetime = response.facts.lifetime.seconds(situation.heuristicFreshness)
        let isFresh = lifetime > age
        // A reload sends max-age=0. An immutable response needs no reload (RFC 8246, 2).
        if let maxAge = directives.maxAge, age > Double(maxAge) || maxAge == 0,
            !(isFresh && maxAge == 0 && own.flags.contains(.immutable))
        {
            return send(.requestMaxAge)
        }
        if let minFresh = directives.minFresh, lifetime - age < Double(minFresh) { return send(.requestMinFresh) }
        if isFresh { return .serve(place, selection, explain(.cached, .fresh)) }
        if own.forbidsStale { return send(.mustRevalidate) }
        let staleness = age - lifetime
        if let maxStale = directives.maxStale, staleness <= Double(maxStale) || maxStale == DeltaSeconds.most {
            return .serve(place, selection, explain(.cached, .staleAllowed))
        }
        if situation.refreshesLater, let limit = own.staleWhileRevalidate, staleness <= Double(limit) {
            let refreshes = !directives.onlyIfCached && !situation.isOffline
            return .serve(
                place, selection, explain(refreshes ? .cachedAndRefreshing : .cached, .staleWhileRevalidate))
        }
        return send(.stale)
    }
}

extension StoredResponse {
    /// Returns whether the response is newer than another by the clock of the server. Of two with the same date, the
    /// one that arrived later is newer.
    func isNewer(than other: StoredResponse) -> Bool {
        facts.date == other.facts.date ? responseTime > other.responseTime : facts.date > other.facts.date
    }
}

extension CacheExplanation {
    init(_ outcome: Outcome, _ reason: Reason, of stored: StoredResponse, in situation: CacheSituation) {
        let freshness = stored.facts.lifetime.seconds(situation.heuristicFreshness)
        var isHeuristic = false
        if case .unchanged = stored.facts.lifetime { isHeuristic = freshness > 0 }
        self.init(
            outcome, reason, age: stored.age(at: situation.now).map { .seconds($0) }, freshness: .seconds(freshness),
            isHeuristic: isHeuristic)
    }
}

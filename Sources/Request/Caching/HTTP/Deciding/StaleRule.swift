/// When an answer that is no longer fresh may be given all the same (RFC 9111, 4.2.4; RFC 5861, 4).
enum StaleRule {
    enum Failure: Hashable, Sendable {
        /// The server answered that it cannot, or so that a gateway would say that.
        case serverError
        /// It could not be reached.
        case disconnected
    }

    /// The reason for giving a stored response after a failure; nil if it must not be given.
    static func reason(
        _ failure: Failure, stored: StoredResponse, directives: RequestDirectives, situation: CacheSituation
    ) -> CacheExplanation.Reason? {
        let own = stored.facts.directives
        // Who asks for something newer does not want something older, whatever fails.
        guard !own.forbidsStale, !directives.noCache, let age = stored.age(at: situation.now) else { return nil }
        let isTooOld = directives.maxAge.map { age > Double($0) || $0 == 0 } ?? false
        guard !isTooOld, directives.minFresh == nil else { return nil }
        let staleness = age - stored.facts.lifetime.seconds(situation.heuristicFreshness)
        for limit in [own.staleIfError, directives.staleIfError, own.staleWhileRevalidate] {
            if let limit, staleness <= Double(limit) { return .staleIfError }
        }
        return failure == .disconnected && situation.servesStaleOffline ? .offline : nil
    }

    /// The statuses that count as a failure of the server.
    static func isServerError(_ status: HTTPStatus) -> Bool {
        switch status.code {
        case 500, 502, 503, 504: true
        default: false
        }
    }

    /// What an error says of the server; nil where it is about something else, such as whether the server is trusted.
    static func failure(_ error: any Error) -> Failure? {
        switch (error as? RequestError)?.code {
        case .hostNotFound, .cannotConnect, .connectTimedOut, .connectionLost, .idleTimedOut, .proxyFailed:
            .disconnected
        // There was an answer, which is of no use: 502 in the words of a gateway.
        case .truncated, .badResponse, .badEncoding, .notProcessed: .serverError
        default: nil
        }
    }
}

/// What a decision depends on besides the request and what is kept.
struct CacheSituation: Sendable {
    /// In seconds since 1970.
    var now: Double
    /// Whether it is known that there is no network.
    var isOffline = false
    /// Whether what is kept may be given stale where the server cannot be reached, unless the server forbids it.
    var servesStaleOffline = true
    /// Whether what may be given stale while it is asked for is given, and asked for afterwards.
    var refreshesLater = true
    /// Whether a part of a body may be completed: that takes a body that is delivered as a whole.
    var completesParts = true
    /// For how long a response is fresh if its server does not say so.
    var heuristicFreshness = HeuristicFreshness.standard
}

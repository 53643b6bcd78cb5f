/// The rules for serving a stale response after a failure (RFC 9111, 4.2.4; RFC 5861, 4).
enum StaleRule {
    enum Failure: Hashable, Sendable {
        /// The server sent an error status, or a response that a gateway would report as one.
        case serverError
        /// The server could not be reached.
        case disconnected
    }

    /// Returns the reason for serving a stored response after a failure; nil if it must not be served.
    static func reason(
        _ failure: Failure, stored: StoredResponse, directives: RequestDirectives, situation: CacheSituation
    ) -> CacheExplanation.Reason? {
        let own = stored.facts.directives
        // A request that requires a newer response does not accept an older one, even after a failure.
        guard !own.forbidsStale, !directives.noCache, let age = stored.age(at: situation.now) else { return nil }
        let isTooOld = directives.maxAge.map { age > Double($0) || $0 == 0 } ?? false
        guard !isTooOld, directives.minFresh == nil else { return nil }
        let staleness = age - stored.facts.lifetime.seconds(situation.heuristicFreshness)
        if let limit = directives.staleIfError, staleness <= Double(limit) { return .staleIfError }
        if let limit = directives.maxStale, staleness > Double(limit), limit != DeltaSeconds.most { return nil }
        for limit in [own.staleIfError, own.staleWhileRevalidate] {
            if let limit, staleness <= Double(limit) { return .staleIfError }
        }
        return failure == .disconnected && situation.servesStaleOffline ? .offline : nil
    }

    /// Returns whether a status counts as a failure of the server.
    static func isServerError(_ status: HTTPStatus) -> Bool {
        switch status.code {
        case 500, 502, 503, 504: true
        default: false
        }
    }

    /// Returns the failure of the server that an error stands for; nil for other errors, such as those of trust.
    static func failure(_ error: any Error) -> Failure? {
        switch (error as? RequestError)?.code {
        case .offline, .hostNotFound, .cannotConnect, .connectTimedOut, .connectionLost, .idleTimedOut,
            .attemptTimedOut, .proxyFailed, .proxyAuthenticationRequired:
            .disconnected
        // The server was reached, but sent no usable response. A gateway would send a 502.
        case .truncated, .badResponse, .badEncoding, .notProcessed: .serverError
        default: nil
        }
    }
}

/// The inputs of a decision besides the request and the stored responses.
struct CacheSituation: Sendable {
    /// The current time in seconds since 1970.
    var now: Double
    /// A Boolean value that indicates whether the server counts as unreachable. Then stale responses are served at
    /// once.
    var isOffline = false
    /// A Boolean value that indicates whether a stale response may be served if the server cannot be reached.
    /// The headers of the response can forbid it.
    var servesStaleOffline = true
    /// A Boolean value that indicates whether `stale-while-revalidate` applies: a stale response is served, and
    /// refreshed afterwards.
    var refreshesLater = true
    /// A Boolean value that indicates whether a stored part of a body may be completed.
    /// This requires that the body is delivered as a whole.
    var completesParts = true
    /// The estimate of freshness for responses without a lifetime from the server.
    var heuristicFreshness = HeuristicFreshness.standard
}

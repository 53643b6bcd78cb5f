/// The state of the cached response to a request.
enum StoredState: Hashable, Sendable, CaseIterable {
    case nothing
    /// The response is fresh by the policy of the request.
    case fresh
    /// The response is too old.
    case expired
    /// The response no longer yields an output.
    case unusable
}

/// The outcome of a request to the server, as declared policies distinguish it.
enum FetchOutcome: Hashable, Sendable, CaseIterable {
    case success
    /// The body of the response says that the server refused, or a rule of the application refused the response.
    case refused
    case badStatus
    /// There was no response, or none that could be used.
    case unavailable
    /// The request cannot be sent as it is, or the server is not trusted. A cached response would only hide that.
    case wrong
    case timedOut
    case cancelled
}

/// The step after a lookup in the store, before a request is sent or after it has failed.
struct StoredStep: Hashable, Sendable {
    enum Next: Hashable, Sendable {
        case finish
        /// Sends the request. An output that was delivered stays delivered.
        case ask
        case fail
    }

    /// A Boolean value that indicates whether the cached output is delivered to the caller.
    var delivers = false
    /// A Boolean value that indicates whether the lookup counts as a use.
    var renews = false
    /// A Boolean value that indicates whether the response is removed, because no call can use it.
    var removes = false
    var next: Next
}

/// The step after a request to the server.
struct FetchStep: Hashable, Sendable {
    enum Response: Hashable, Sendable {
        case output
        case error
        /// The cached output, or the error if there is none.
        case kept
    }

    var answer: Response
    /// A Boolean value that indicates whether the response is cached, in place of the present one.
    var writes = false
    /// A Boolean value that indicates whether the cached response is removed.
    var evicts = false
}

extension CachePolicy {
    /// Returns the policy that a call uses.
    ///
    /// For requests that change something, the default policy of a client becomes `networkOnly`, unless it is `http`.
    /// If `follows` is true, the caller wants the cached output and the new one, so `cacheElseNetwork` becomes
    /// `cacheThenNetwork`.
    func effective(for method: HTTPMethod, follows: Bool) -> CachePolicy {
        var policy = self
        if isDefault, !method.isSafe, fetch != .http { policy.fetch = .networkOnly }
        if follows, policy.fetch == .cacheElseNetwork { policy.fetch = .cacheThenNetwork }
        return policy
    }

    /// A Boolean value that indicates whether the call itself uses the store, apart from the HTTP cache in the
    /// pipeline.
    var isDeclared: Bool { fetch != .networkOnly && fetch != .http }

    /// A Boolean value that indicates whether the call reads the store before it sends the request.
    var readsFirst: Bool {
        switch fetch {
        case .cacheElseNetwork, .cacheThenNetwork, .cacheOnly: true
        case .networkOnly, .reload, .networkElseCache, .http: false
        }
    }

    /// Returns the first step of a policy that reads the store first.
    func opening(_ kept: StoredState) -> StoredStep {
        guard kept == .fresh else {
            return StoredStep(removes: kept == .unusable, next: fetch == .cacheOnly ? .fail : .ask)
        }
        return StoredStep(delivers: true, renews: isSliding, next: fetch == .cacheThenNetwork ? .ask : .finish)
    }

    /// Returns the step after a request to the server.
    func closing(_ outcome: FetchOutcome) -> FetchStep {
        guard isDeclared else { return FetchStep(answer: outcome == .success ? .output : .error) }
        switch outcome {
        case .success: return FetchStep(answer: .output, writes: true)
        case .refused: return FetchStep(answer: .error, evicts: true)
        case .badStatus, .wrong, .cancelled: return FetchStep(answer: .error)
        case .unavailable, .timedOut: return FetchStep(answer: fetch == .networkElseCache ? .kept : .error)
        }
    }

    /// Returns the last step after the server has returned no usable response.
    func fallback(_ kept: StoredState) -> StoredStep {
        guard kept == .fresh else { return StoredStep(removes: kept == .unusable, next: .fail) }
        return StoredStep(delivers: true, renews: isSliding, next: .finish)
    }

    /// A Boolean value that indicates whether each use makes a response fresh for longer.
    var isSliding: Bool {
        if case .sliding = hit { true } else { false }
    }
}

extension FetchOutcome {
    /// Classifies the error of a call.
    init(_ error: any Error) {
        guard !(error is CancellationError) else {
            self = .cancelled
            return
        }
        guard let error = error as? RequestError else {
            self = .unavailable
            return
        }
        self.init(error.code, status: error.response?.status)
    }

    /// Classifies the code of an error.
    init(_ code: RequestError.Code, status: HTTPStatus?) {
        switch code {
        case .business, .refusedResponse: self = .refused
        case .badStatus:
            switch status {
            case .requestTimeout, .tooEarly, .tooManyRequests: self = .unavailable
            case let status?: self = status.isServerError ? .unavailable : .badStatus
            case nil: self = .unavailable
            }
        case .connectTimedOut, .idleTimedOut, .attemptTimedOut, .totalTimedOut: self = .timedOut
        case .shutDown: self = .cancelled
        case .untrusted, .badTrust, .unsupported, .noTransport, .badURL, .badMethod, .badHeader, .badBody,
            .bodyNotReplayable, .notEncodable, .noEndpoint, .noBaseURL, .noSerializer, .duplicate:
            self = .wrong
        default: self = .unavailable
        }
    }
}

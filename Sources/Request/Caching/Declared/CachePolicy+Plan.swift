/// What a store has for a request.
enum StoredState: Hashable, Sendable, CaseIterable {
    case nothing
    /// An answer that counts, by the policy of the request.
    case fresh
    /// One that is too old.
    case expired
    /// One of which no output can be made any more.
    case unusable
}

/// What comes of asking a server.
enum FetchOutcome: Hashable, Sendable, CaseIterable {
    case success
    /// The server answered, and said no: in a body, or with a status that is about the request.
    case refused
    case badStatus
    /// There was no answer, or none that could be used.
    case unavailable
    /// The request cannot be sent as it is, or whoever answered is not trusted: what is kept would only hide that.
    case wrong
    case timedOut
    case cancelled
}

/// What is done with what a store has, before a server is asked or after it had no answer.
struct StoredStep: Hashable, Sendable {
    enum Next: Hashable, Sendable {
        case finish
        /// Asks the server. What was delivered before stays delivered.
        case ask
        case fail
    }

    /// Whether whoever waits is given it.
    var delivers = false
    /// Whether it counts as used just now.
    var renews = false
    /// Whether it is removed, for nobody can use it.
    var removes = false
    var next: Next
}

/// What is done with what came of asking.
struct FetchStep: Hashable, Sendable {
    enum Answer: Hashable, Sendable {
        case output
        case error
        /// What the store has, if it has anything, else the error.
        case kept
    }

    var answer: Answer
    /// Whether it is kept, in place of what is there.
    var writes = false
    /// Whether what is there is removed.
    var evicts = false
}

extension CachePolicy {
    /// What a run does: a client's policy leaves alone what changes something, and whoever follows the values of a request
    /// wants both what is there and what is new.
    func effective(for method: HTTPMethod, follows: Bool) -> CachePolicy {
        var policy = self
        if isDefault, !method.isSafe, fetch != .http { policy.fetch = .networkOnly }
        if follows, policy.fetch == .cacheElseNetwork { policy.fetch = .cacheThenNetwork }
        return policy
    }

    /// Whether a store is looked at, or changed, at the call.
    var isDeclared: Bool { fetch != .networkOnly && fetch != .http }

    /// Whether a store is looked at before the server is asked.
    var readsFirst: Bool {
        switch fetch {
        case .cacheElseNetwork, .cacheThenNetwork, .cacheOnly: true
        case .networkOnly, .reload, .networkElseCache, .http: false
        }
    }

    /// The first step of a policy that looks into the store first.
    func opening(_ kept: StoredState) -> StoredStep {
        guard kept == .fresh else {
            return StoredStep(removes: kept == .unusable, next: fetch == .cacheOnly ? .fail : .ask)
        }
        return StoredStep(delivers: true, renews: isSliding, next: fetch == .cacheThenNetwork ? .ask : .finish)
    }

    /// What to do with what came of asking.
    func closing(_ outcome: FetchOutcome) -> FetchStep {
        guard isDeclared else { return FetchStep(answer: outcome == .success ? .output : .error) }
        switch outcome {
        case .success: return FetchStep(answer: .output, writes: true)
        case .refused: return FetchStep(answer: .error, evicts: true)
        case .badStatus, .wrong, .cancelled: return FetchStep(answer: .error)
        case .unavailable, .timedOut: return FetchStep(answer: fetch == .networkElseCache ? .kept : .error)
        }
    }

    /// The last step where the server had no answer.
    func fallback(_ kept: StoredState) -> StoredStep {
        guard kept == .fresh else { return StoredStep(removes: kept == .unusable, next: .fail) }
        return StoredStep(delivers: true, renews: isSliding, next: .finish)
    }

    /// Whether what is used counts for longer.
    var isSliding: Bool {
        if case .sliding = hit { true } else { false }
    }
}

extension FetchOutcome {
    /// What an error says of the server.
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

    /// The table of it.
    init(_ code: RequestError.Code, status: HTTPStatus?) {
        switch code {
        case .business, .refusedResponse: self = .refused
        case .badStatus:
            switch status {
            case .requestTimeout, .tooEarly, .tooManyRequests: self = .unavailable
            case let status?: self = status.isServerError ? .unavailable : .badStatus
            case nil: self = .unavailable
            }
        case .connectTimedOut, .idleTimedOut, .totalTimedOut: self = .timedOut
        case .shutDown: self = .cancelled
        case .untrusted, .badTrust, .unsupported, .noTransport, .badURL, .badMethod, .badHeader, .badBody,
            .bodyNotReplayable, .notEncodable, .noEndpoint, .noBaseURL, .noSerializer, .duplicate:
            self = .wrong
        default: self = .unavailable
        }
    }
}

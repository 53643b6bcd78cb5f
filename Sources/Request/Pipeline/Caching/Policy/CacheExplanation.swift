/// The decision of the HTTP cache for a call, and its reason.
///
/// Its description is a sentence:
///
/// ```text
/// served from the cache: the response is fresh; 12 s old of 60 s
/// revalidated by the server: the cached response is stale; 75 s old of 60 s
/// fetched from the server: nothing is cached for the request
/// ```
public struct CacheExplanation: Sendable, Hashable, CustomStringConvertible {
    /// The source of the response.
    public enum Outcome: Sendable, Hashable {
        /// The cache, without a request.
        case cached
        /// The cache, and a request refreshes the entry in the background.
        case cachedAndRefreshing
        /// The cache, after the server has confirmed that the response is current.
        case revalidated
        /// The server.
        case fetched
        /// None: the request accepts only a cached response, and none can be used.
        case failed
    }

    /// The code of a reason, for programs. Its description is a sentence in English. Later versions may add codes.
    public enum Reason: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
        // The reasons to serve a cached response.

        case fresh
        case staleAllowed
        case staleWhileRevalidate
        case staleIfError
        case offline

        // The reasons to send the request.

        case nothingStored
        case noVariant
        case stale
        case mustRevalidate
        case responseNoCache
        case requestNoCache
        case requestMaxAge
        case requestMinFresh
        case clockMovedBack
        case method
        case condition
        case rangeNotStored
        case remainder
        case bodyMissing
        case unusable
        case onlyIfCached

        // The reasons not to store a response.

        case methodNotStored
        case statusNotStored
        case statusNotUnderstood
        case requestNoStore
        case responseNoStore
        case variesByMore
        case noFreshness
        case credentialsAdded
        case requestChanged
        case rejectedByOverride
        case incomplete
        case storeFailed
    }

    /// The source of the response.
    public internal(set) var outcome: Outcome
    /// The reason for the outcome.
    public internal(set) var reason: Reason
    /// The age of the cached response.
    public internal(set) var age: Duration?
    /// The time for which the cached response is fresh.
    public internal(set) var freshness: Duration?
    /// A Boolean value that indicates whether ``freshness`` is an estimate, because the server names none.
    public internal(set) var isHeuristic: Bool
    /// The reason not to store the response of the server; nil if it was stored, or if there is none.
    public internal(set) var notStored: Reason?

    init(
        _ outcome: Outcome, _ reason: Reason, age: Duration? = nil, freshness: Duration? = nil,
        isHeuristic: Bool = false, notStored: Reason? = nil
    ) {
        self.outcome = outcome
        self.reason = reason
        self.age = age
        self.freshness = freshness
        self.isHeuristic = isHeuristic
        self.notStored = notStored
    }

    /// A Boolean value that indicates whether the call got a stale response.
    public var isStale: Bool {
        guard outcome == .cached || outcome == .cachedAndRefreshing, let age, let freshness else { return false }
        return age >= freshness
    }

    public var description: String {
        var text = "\(words): \(reason)"
        if let age {
            text += "; \(age.wholeSeconds) s old"
            if let freshness { text += " of \(freshness.wholeSeconds) s" + (isHeuristic ? " by guess" : "") }
        }
        if let notStored { text += "; not stored: \(notStored)" }
        return text
    }

    private var words: String {
        switch outcome {
        case .cached: "served from the cache"
        case .cachedAndRefreshing: "served from the cache, and refreshed in the background"
        case .revalidated: "revalidated by the server"
        case .fetched: "fetched from the server"
        case .failed: "failed"
        }
    }
}

extension CacheExplanation.Reason {
    public var description: String {
        switch self {
        case .fresh: "the response is fresh"
        case .staleAllowed: "the request allows stale responses"
        case .staleWhileRevalidate: "the server allows stale responses during revalidation"
        case .staleIfError: "the server failed, and stale responses are allowed then"
        case .offline: "the response is stale, and the server cannot be reached"
        case .nothingStored: "nothing is cached for the request"
        case .noVariant: "the cached responses belong to other headers"
        case .stale: "the cached response is stale"
        case .mustRevalidate: "the cached response is stale and must be revalidated"
        case .responseNoCache: "the server requires revalidation each time"
        case .requestNoCache: "the request requires revalidation"
        case .requestMaxAge: "the request requires a younger response"
        case .requestMinFresh: "the request requires a response that stays fresh for longer"
        case .clockMovedBack: "the clock moved back, so the age of the response is unknown"
        case .method: "responses to the method are not served from a cache"
        case .condition: "only the server can evaluate the condition"
        case .rangeNotStored: "the range is not cached"
        case .remainder: "a part is cached, and the remainder was requested"
        case .bodyMissing: "the cached body is missing"
        case .unusable: "the cached response could not be decoded"
        case .onlyIfCached: "the request forbids network access"
        case .methodNotStored: "responses to the method are not stored"
        case .statusNotStored: "the status is not stored without explicit freshness"
        case .statusNotUnderstood: "the status must be understood, and is unknown"
        case .requestNoStore: "the request forbids it"
        case .responseNoStore: "the server forbids it"
        case .variesByMore: "the response varies by more than the request"
        case .noFreshness: "the response has neither freshness nor a validator"
        case .credentialsAdded:
            "interceptors behind the cache added credentials: give the client an identity"
        case .requestChanged: "an interceptor behind the cache changed headers that the response depends on"
        case .rejectedByOverride: "an observer rejected the response"
        case .incomplete: "the response is incomplete"
        case .storeFailed: "the store failed"
        }
    }
}

extension Duration {
    fileprivate var wholeSeconds: Int64 { components.seconds }
}

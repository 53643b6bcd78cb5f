/// Why a call was answered as it was, as far as the HTTP cache is concerned: from the cache, by the server, or not at all.
///
/// It reads as a sentence:
///
/// ```text
/// served from the cache: it is fresh; 12 s old of 60 s
/// asked the server, which confirmed it: it was no longer fresh; 75 s old of 60 s
/// asked the server: nothing is kept for this request
/// ```
public struct CacheExplanation: Sendable, Hashable, CustomStringConvertible {
    /// What was done.
    public enum Outcome: Sendable, Hashable {
        /// The server was not asked.
        case served
        /// The server was not asked by this call, but is in the background.
        case servedAndRefreshed
        /// The server said that what is kept is still right.
        case confirmed
        /// The server answered.
        case fetched
        /// Nobody was asked, as the request wanted it, and there was no answer.
        case refused
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
        case clockWentBack
        case method
        case condition
        case rangeNotStored
        case rest
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
        case notUseful
        case credentialsAdded
        case requestChanged
        case vetoed
        case incomplete
        case storeFailed
    }

    /// What was done.
    public internal(set) var outcome: Outcome
    /// Why that was done.
    public internal(set) var reason: Reason
    /// How old the answer that is kept was.
    public internal(set) var age: Duration?
    /// For how long it was fresh.
    public internal(set) var freshness: Duration?
    /// Whether that time was made up, for want of a better one.
    public internal(set) var isHeuristic: Bool
    /// Why the server's answer was not kept; nil where it was, or where none came.
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

    /// Whether the answer was no longer fresh when it was given.
    public var isStale: Bool {
        guard outcome == .served || outcome == .servedAndRefreshed, let age, let freshness else { return false }
        return age >= freshness
    }

    public var description: String {
        var text = "\(words): \(reason)"
        if let age {
            text += "; \(age.wholeSeconds) s old"
            if let freshness { text += " of \(freshness.wholeSeconds) s" + (isHeuristic ? " by guess" : "") }
        }
        if let notStored { text += "; not kept: \(notStored)" }
        return text
    }

    private var words: String {
        switch outcome {
        case .served: "served from the cache"
        case .servedAndRefreshed: "served from the cache, and asked for again in the background"
        case .confirmed: "asked the server, which confirmed it"
        case .fetched: "asked the server"
        case .refused: "refused"
        }
    }
}

extension CacheExplanation.Reason {
    public var description: String {
        switch self {
        case .fresh: "it is fresh"
        case .staleAllowed: "the request takes stale answers"
        case .staleWhileRevalidate: "the server allows it while it is asked again"
        case .staleIfError: "the server failed, and stale answers are allowed then"
        case .offline: "the server cannot be reached"
        case .nothingStored: "nothing is kept for this request"
        case .noVariant: "what is kept answers other headers"
        case .stale: "it was no longer fresh"
        case .mustRevalidate: "it was no longer fresh, and must not be used then"
        case .responseNoCache: "the server wants to be asked each time"
        case .requestNoCache: "the request wants the server to be asked"
        case .requestMaxAge: "the request wants a younger answer"
        case .requestMinFresh: "the request wants an answer that stays fresh for longer"
        case .clockWentBack: "the clock has gone back, so that its age is not known"
        case .method: "the method is never answered from a cache"
        case .condition: "only the server can tell whether the condition holds"
        case .rangeNotStored: "the range is not kept"
        case .rest: "a part of it is kept, and the rest was asked for"
        case .bodyMissing: "its body is not kept any more"
        case .unusable: "nothing could be made of the cached response"
        case .onlyIfCached: "the request wants no server to be asked"
        case .methodNotStored: "answers to the method are not kept"
        case .statusNotStored: "nothing says that the status may be kept"
        case .statusNotUnderstood: "the status must be understood, and is not"
        case .requestNoStore: "the request forbids it"
        case .responseNoStore: "the server forbids it"
        case .variesByMore: "it depends on more than the request"
        case .notUseful: "it could never be used again"
        case .credentialsAdded:
            "it was asked for with credentials that the cache does not see: give the client an identity"
        case .requestChanged: "an interceptor has changed what it depends on behind the cache"
        case .vetoed: "the application forbids it"
        case .incomplete: "it did not arrive in full"
        case .storeFailed: "the store failed"
        }
    }
}

extension Duration {
    fileprivate var wholeSeconds: Int64 { components.seconds }
}

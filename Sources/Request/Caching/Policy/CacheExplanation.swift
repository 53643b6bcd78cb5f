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

    /// Why. The set is open: more may be told apart later.
    public struct Reason: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        public var description: String { rawValue }
    }

    /// What was done.
    public var outcome: Outcome
    /// Why that was done.
    public var reason: Reason
    /// How old the answer that is kept was.
    public var age: Duration?
    /// For how long it was fresh.
    public var freshness: Duration?
    /// Whether that time was made up, for want of a better one.
    public var isHeuristic: Bool
    /// Why the server's answer was not kept; nil where it was, or where none came.
    public var notStored: Reason?

    /// For tests, which say what they expect.
    public init(
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
    // Why the cache could answer.

    public static let fresh = Self(rawValue: "it is fresh")
    public static let staleAllowed = Self(rawValue: "the request takes stale answers")
    public static let staleWhileRevalidate = Self(rawValue: "the server allows it while it is asked again")
    public static let staleIfError = Self(rawValue: "the server failed, and stale answers are allowed then")
    public static let offline = Self(rawValue: "the server cannot be reached")

    // Why the server was asked.

    public static let nothingStored = Self(rawValue: "nothing is kept for this request")
    public static let noVariant = Self(rawValue: "what is kept answers other headers")
    public static let stale = Self(rawValue: "it was no longer fresh")
    public static let mustRevalidate = Self(rawValue: "it was no longer fresh, and must not be used then")
    public static let responseNoCache = Self(rawValue: "the server wants to be asked each time")
    public static let requestNoCache = Self(rawValue: "the request wants the server to be asked")
    public static let requestMaxAge = Self(rawValue: "the request wants a younger answer")
    public static let requestMinFresh = Self(rawValue: "the request wants an answer that stays fresh for longer")
    public static let clockWentBack = Self(rawValue: "the clock has gone back, so that its age is not known")
    public static let method = Self(rawValue: "the method is never answered from a cache")
    public static let condition = Self(rawValue: "only the server can tell whether the condition holds")
    public static let rangeNotStored = Self(rawValue: "the range is not kept")
    public static let rest = Self(rawValue: "a part of it is kept, and the rest was asked for")
    public static let bodyMissing = Self(rawValue: "its body is not kept any more")
    public static let unusable = Self(rawValue: "nothing could be made of the cached response")
    public static let onlyIfCached = Self(rawValue: "the request wants no server to be asked")

    // Why an answer was not kept.

    public static let methodNotStored = Self(rawValue: "answers to the method are not kept")
    public static let statusNotStored = Self(rawValue: "nothing says that the status may be kept")
    public static let statusNotUnderstood = Self(rawValue: "the status must be understood, and is not")
    public static let requestNoStore = Self(rawValue: "the request forbids it")
    public static let responseNoStore = Self(rawValue: "the server forbids it")
    public static let variesByMore = Self(rawValue: "it depends on more than the request")
    public static let notUseful = Self(rawValue: "it could never be used again")
    public static let credentialsAdded = Self(
        rawValue: "it was asked for with credentials that the cache does not see: give the client an identity")
    public static let requestChanged = Self(
        rawValue: "an interceptor has changed what it depends on behind the cache")
    public static let vetoed = Self(rawValue: "the application forbids it")
    public static let incomplete = Self(rawValue: "it did not arrive in full")
    public static let storeFailed = Self(rawValue: "the store failed")
}

extension Duration {
    fileprivate var wholeSeconds: Int64 { components.seconds }
}

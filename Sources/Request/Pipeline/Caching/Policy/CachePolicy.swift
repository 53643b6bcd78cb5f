/// The rules by which a request uses the cache: when it is read, how old a response may be, and what is stored.
///
/// ```swift
/// final class GetProfile: Request<User> {
///     override var endpoint: Endpoint { .get("/profile") }
///     override var cachePolicy: CachePolicy { .cacheElseNetwork(maxAge: .seconds(300)) }
/// }
/// ```
///
/// Most policies have a name. Any other policy is created from three parts:
///
/// ```swift
/// let policy = CachePolicy(fetch: .networkElseCache, hit: .sliding(.seconds(86_400)), write: .model)
/// ```
///
/// A client's policy for all its requests, other than ``http``, does not apply to requests that change something.
/// The response to a `POST` is only read from the cache or stored if the request itself declares such a policy.
public struct CachePolicy: Sendable {
    /// The order in which the cache and the server are used.
    public enum Fetch: Sendable, Hashable, CaseIterable {
        /// The server. The cache is neither read nor written.
        case networkOnly
        /// The server. Its response is stored.
        case reload
        /// The cache, and the server only if the cache has no usable response.
        case cacheElseNetwork
        /// The cache, and then the server as well. Both responses are delivered.
        case cacheThenNetwork
        /// The server, and the cache if the network or the server fails.
        case networkElseCache
        /// The cache. The call fails if the cache has no usable response.
        case cacheOnly
        /// The order that the rules of HTTP (RFC 9111) and the headers of the responses require.
        case http
    }

    /// The time for which a cached response may be used. If it is negative, requests fail with
    /// ``RequestError/Code/badPolicy``.
    ///
    /// If the clock was set back, so that a response is more than a minute in the future, its age is unknown. Only
    /// ``always`` uses it then.
    public enum Hit: Sendable, Hashable {
        /// This long after its arrival.
        case maxAge(Duration)
        /// This long after its arrival or its last use. The store records a use only if a hundredth of that time has
        /// passed since the last recorded use.
        case sliding(Duration)
        /// As long as it is cached.
        case always
    }

    /// The form in which a response is stored.
    public enum Write: Sendable, Hashable {
        /// The response as it was received.
        case raw
        /// The output: its encoding on disk, the value itself in memory. If the output is not `Codable`, the response
        /// is stored as it was received.
        ///
        /// Closures and decoders cannot be compared. So all serializers of a request class that are made of one share
        /// the stored output: declare a class for each, or a ``Request/cacheKey``.
        case model
    }

    /// The order in which the cache and the server are used.
    public var fetch: Fetch
    /// The time for which a cached response may be used. With ``Fetch/http``, the server sets it instead.
    public var hit: Hit
    /// The form in which a response is stored. With ``Fetch/http``, it is the response as received.
    public var write: Write
    /// A Boolean value that indicates whether ``Fetch/http`` may serve a stale response if the server cannot be
    /// reached. The server can forbid it.
    public var servesStaleOffline = true
    /// A Boolean value that indicates whether the policy is that of a client for all its requests.
    var isDefault = false

    /// Creates a policy that has no name, such as one with ``Hit/sliding(_:)``.
    public init(fetch: Fetch, hit: Hit = .always, write: Write = .raw) {
        self.fetch = fetch
        self.hit = hit
        self.write = write
    }
}

extension CachePolicy: Hashable {
    public static func == (one: CachePolicy, other: CachePolicy) -> Bool {
        one.fetch == other.fetch && one.hit == other.hit && one.write == other.write
            && one.servesStaleOffline == other.servesStaleOffline
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(fetch)
        hasher.combine(hit)
        hasher.combine(write)
        hasher.combine(servesStaleOffline)
    }
}

extension CachePolicy: CustomStringConvertible {
    /// Such as `cacheElseNetwork, for 300 s, raw`.
    public var description: String {
        let hits =
            switch hit {
            case .maxAge(let age): "for \(age.text)"
            case .sliding(let age): "for \(age.text) after the last use"
            case .always: "always"
            }
        switch fetch {
        case .http: return "\(fetch)\(servesStaleOffline ? "" : ", nothing stale offline")"
        case .networkOnly: return "\(fetch)"
        case .reload: return "\(fetch), \(write)"
        case .cacheElseNetwork, .cacheThenNetwork, .networkElseCache, .cacheOnly: return "\(fetch), \(hits), \(write)"
        }
    }
}

/// The estimate of freshness for responses without a lifetime from the server (RFC 9111, 4.2.2).
///
/// A response with a `Last-Modified` and neither `max-age` nor `Expires` is fresh for a fraction of the time since its
/// last change. File servers send such responses. With ``off``, the server confirms each of them:
///
/// ```swift
/// let cautious = Client(baseURL: server, cache: store) { $0.heuristicFreshness = .off }
/// ```
///
/// The estimate does not affect other responses. ``CacheExplanation/isHeuristic`` marks an estimate.
public struct HeuristicFreshness: Hashable, Sendable {
    /// The share of the time since the last change for which the response is fresh. The standard recommends 0.1.
    public var fraction: Double
    /// The longest time for which such a response is fresh.
    public var limit: Duration

    /// Creates an estimate. With a negative value, requests under ``CachePolicy/http`` fail with
    /// ``RequestError/Code/badPolicy``.
    public init(fraction: Double, limit: Duration) {
        self.fraction = fraction
        self.limit = limit
    }

    /// A tenth of the time since the last change, and no more than seven days. The default.
    public static let standard = HeuristicFreshness(fraction: 0.1, limit: .seconds(7 * 86_400))

    /// Such a response is stale from the start, so that the server confirms it each time.
    public static let off = HeuristicFreshness(fraction: 0, limit: .zero)

    /// The reason why a value is invalid, and what to set; nil if both are valid.
    var problem: String? {
        fraction >= 0
            ? SettingProblem.low("HeuristicFreshness.limit", limit)
            : "HeuristicFreshness.fraction is \(fraction): set zero or more"
    }

    /// Returns the freshness in seconds of a response that had not changed for a number of seconds.
    func seconds(unchangedFor seconds: Double) -> Double {
        let share = seconds * fraction
        return share > 0 ? min(share, limit.inSeconds) : 0
    }
}

extension CachePolicy {
    /// The reason why the age is invalid, and what to set; nil if it is valid.
    var problem: String? {
        switch hit {
        case .maxAge(let age): SettingProblem.low("the age of CachePolicy", age)
        case .sliding(let age): SettingProblem.low("the age of CachePolicy", age)
        case .always: nil
        }
    }

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
}

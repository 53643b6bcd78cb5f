/// Whether a request is answered from a cache, for how long an answer counts, and what is kept.
///
/// ```swift
/// final class GetProfile: Request<User> {
///     override var endpoint: Endpoint { .get("/profile") }
///     override var cachePolicy: CachePolicy { .cacheElseNetwork(maxAge: .seconds(300)) }
/// }
/// ```
///
/// Most policies have a name of their own; any other is made of its three parts:
///
/// ```swift
/// let policy = CachePolicy(fetch: .networkElseCache, hit: .sliding(.seconds(86_400)), write: .model)
/// ```
///
/// A policy that a client has for all its requests leaves alone those that change something: a `POST` is only answered from
/// a cache, and its answer only kept, where the request itself says so.
public struct CachePolicy: Sendable {
    /// Who is asked, in which order.
    public enum Fetch: Sendable, Hashable, CaseIterable {
        /// The server. Nothing is read from the cache, and nothing kept.
        case networkOnly
        /// The server. Its answer is kept.
        case reload
        /// The cache, and the server only if nothing is there.
        case cacheElseNetwork
        /// The cache, and then the server as well: whoever listens hears of both.
        case cacheThenNetwork
        /// The server, and the cache if that has no answer.
        case networkElseCache
        /// The cache. Where nothing is there, that is an error.
        case cacheOnly
        /// Whoever is right by the rules of HTTP (RFC 9111), by what the server says about its answers.
        case http
    }

    /// How long an answer that is kept counts.
    public enum Hit: Sendable, Hashable {
        /// For so long after it came.
        case maxAge(Duration)
        /// For so long after it came or was last used. A store on disk learns of a use when a hundredth of that time has
        /// passed since the one it knows of.
        case sliding(Duration)
        /// As long as it is there.
        case always
    }

    /// What is kept of an answer.
    public enum Write: Sendable, Hashable {
        /// The response, as it came.
        case raw
        /// What was made of it: its encoding on disk, the value itself in memory. An output that is not `Codable` is kept
        /// as it came.
        case model
    }

    /// Who is asked, in which order.
    public var fetch: Fetch
    /// How long an answer that is kept counts. With ``Fetch/http`` the server says that instead.
    public var hit: Hit
    /// What is kept of an answer. With ``Fetch/http`` it is the response.
    public var write: Write
    /// Whether ``Fetch/http`` may give a stale answer where the server cannot be reached, unless the server forbids it.
    public var servesStaleOffline = true
    /// Whether it is what a client has for all its requests.
    var isDefault = false

    /// A policy for which there is no name, such as one with ``Hit/sliding(_:)``.
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
